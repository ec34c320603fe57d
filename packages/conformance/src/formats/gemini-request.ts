import { asText } from '@modelport/core'
import type { WireConversation, WireConversationMessage, WireRequest } from '../wire-format.js'
import { contentViolations, type WireContent, type WirePart } from './gemini-contents.js'

type Fields = Readonly<Record<string, unknown>>
interface WireBody extends Fields {
  readonly contents?: readonly WireContent[]
  readonly systemInstruction?: WireContent
  readonly tools?: readonly Fields[]
  readonly toolConfig?: {
    readonly functionCallingConfig?: { readonly mode?: unknown; readonly allowedFunctionNames?: readonly unknown[] }
  }
  readonly generationConfig?: Fields
}
interface WireDeclaration extends Fields {
  readonly name?: unknown
  readonly parameters?: unknown
  readonly parametersJsonSchema?: unknown
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))
const bodyFields = words(
  'contents systemInstruction tools toolConfig generationConfig safetySettings cachedContent labels serviceTier store continuationToken modelArmorConfig outputConfig',
)
const configFields = words(
  'stopSequences responseMimeType responseSchema responseJsonSchema responseModalities candidateCount maxOutputTokens temperature topP topK seed presencePenalty ' +
    'frequencyPenalty responseLogprobs logprobs enableEnhancedCivicAnswers speechConfig thinkingConfig imageConfig mediaResolution audioTimestamp audioTranscriptionConfig routingConfig ' +
    'modelSelectionConfig',
)
const declarationFields = words('name description behavior parameters parametersJsonSchema response responseJsonSchema')
const toolKinds = words(
  'functionDeclarations googleSearch googleSearchRetrieval codeExecution urlContext fileSearch googleMaps computerUse enterpriseWebSearch exaAiSearch parallelAiSearch retrieval mcpServers',
)
const schemaFields = words(
  'type format title description nullable enum items minItems maxItems properties required minProperties maxProperties minLength maxLength pattern example anyOf ' +
    'propertyOrdering default minimum maximum',
)
const toolConfigFields = words('functionCallingConfig retrievalConfig includeServerSideToolInvocations')
const modes = words('AUTO ANY NONE VALIDATED')

/** The conversation of a request. Calls and results have the wire's ids, or their place in the conversation. */
export function geminiRead({ path, body }: WireRequest): WireConversation {
  const { contents = [], systemInstruction, tools, generationConfig = {} } = body as WireBody
  const { maxOutputTokens, temperature } = generationConfig
  let open: string[] = []
  let made = 0
  const messages = contents.flatMap(({ role, parts = [] }): WireConversationMessage[] => {
    const text = parts.map((part) => (part.thought === true ? '' : asText(part.text))).join('')
    if (role === 'model') {
      const toolCalls = parts.flatMap(({ functionCall: call }) =>
        call ? [{ id: asText(call.id) || `at ${made++}`, name: String(call.name), arguments: call.args }] : [],
      )
      open = toolCalls.map(({ id }) => id)
      return [{ role: 'assistant', text, toolCalls }]
    }
    const results = parts.flatMap(({ functionResponse: result }) => (result ? [readResult(result, open.shift())] : []))
    return results.length === parts.length ? results : [...results, { role: 'user', text }]
  })
  return {
    model: /models\/([^:/]+):/.exec(path)?.[1] ?? '',
    stream: path.includes(':streamGenerateContent'),
    system: (systemInstruction?.parts ?? []).map(({ text }) => String(text)).join('\n'),
    tools: declarationsOf(tools).map(({ name, parameters, parametersJsonSchema }) => ({
      name: String(name),
      parameters: parametersJsonSchema ?? parameters,
    })),
    messages,
    ...(typeof maxOutputTokens === 'number' && { maxTokens: maxOutputTokens }),
    ...(typeof temperature === 'number' && { temperature }),
  }
}

function readResult(
  { id, name, response }: NonNullable<WirePart['functionResponse']>,
  place = '',
): WireConversationMessage {
  const { output, error } = (response ?? {}) as Fields
  return {
    role: 'tool',
    callId: asText(id) || place,
    name: String(name),
    text: String(error ?? output),
    ...(error !== undefined && { isError: true }),
  }
}

const declarationsOf = (tools: WireBody['tools']): readonly WireDeclaration[] =>
  (tools ?? []).flatMap((tool) => (tool['functionDeclarations'] as readonly WireDeclaration[] | undefined) ?? [])

const unknownFields = (value: Fields | undefined, known: ReadonlySet<string>, where: string): string[] =>
  Object.keys(value ?? {})
    .filter((field) => !known.has(field))
    .map((field) => `Unknown name "${field}" at '${where}': Cannot find field.`)

/** The rules of the API that a request breaks. */
export function geminiViolations({ path, headers, body }: WireRequest): readonly string[] {
  const request = body as WireBody
  const found = unknownFields(request, bodyFields, 'request')
  const query = new URLSearchParams(path.split('?')[1] ?? '')
  if (query.has('key')) found.push('the key is in the URL')
  if (path.includes(':streamGenerateContent') !== (query.get('alt') === 'sse'))
    found.push('alt=sse: on streams, and only there')
  if (!headers['x-goog-api-key'] && !headers['authorization']?.startsWith('Bearer '))
    found.push('x-goog-api-key and authorization: missing')
  if (!headers['content-type']?.includes('application/json')) found.push('content-type is not application/json')
  const signed = !/models\/gemini-[12]\./.test(path)
  return [
    ...found,
    ...systemViolations(request),
    ...toolViolations(request),
    ...configViolations(request),
    ...contentViolations(request.contents, signed),
  ]
}

function systemViolations({ systemInstruction }: WireBody): string[] {
  if (!systemInstruction) return []
  const parts = systemInstruction.parts ?? []
  const textOnly = parts.every((part) => typeof part.text === 'string' && Object.keys(part).length === 1)
  return parts.length && textOnly ? [] : ['systemInstruction: must have parts of text']
}

function toolViolations({ tools, toolConfig }: WireBody): string[] {
  const found = unknownFields(toolConfig, toolConfigFields, 'tool_config')
  if (tools?.length === 0) found.push('tools: empty')
  for (const [index, tool] of (tools ?? []).entries()) found.push(...unknownFields(tool, toolKinds, `tools[${index}]`))
  const declarations = declarationsOf(tools)
  const names = new Set<unknown>()
  for (const [index, declaration] of declarations.entries()) {
    const where = `tools.function_declarations[${index}]`
    found.push(...unknownFields(declaration, declarationFields, where))
    if (!/^[A-Za-z_][\w.:-]{0,127}$/.test(String(declaration.name))) found.push(`${where}.name: Invalid function name.`)
    if (names.has(declaration.name)) found.push(`Duplicate function declaration found: ${String(declaration.name)}`)
    names.add(declaration.name)
    if (declaration.parameters !== undefined && declaration.parametersJsonSchema !== undefined)
      found.push(`${where}: only one of parameters and parametersJsonSchema`)
    if (declaration.parameters !== undefined)
      found.push(...schemaViolations(declaration.parameters, `${where}.parameters`))
    const json = declaration.parametersJsonSchema as { readonly type?: unknown } | undefined
    if (json !== undefined && json.type !== 'object')
      found.push(`${where}.parameters_json_schema: must describe an object`)
  }
  const calling = toolConfig?.functionCallingConfig
  if (!calling) return found
  if (!declarations.length) found.push('Function calling config is set without function_declarations.')
  if (!modes.has(String(calling.mode)))
    found.push(`Invalid value at 'tool_config.function_calling_config.mode': ${String(calling.mode)}`)
  if (calling.allowedFunctionNames && !['ANY', 'VALIDATED'].includes(String(calling.mode)))
    found.push('allowed_function_names should only be set when the mode is ANY')
  for (const name of calling.allowedFunctionNames ?? [])
    if (!names.has(name)) found.push(`allowed_function_names: unknown function ${String(name)}`)
  return found
}

/** The OpenAPI subset; an object has properties there. */
function schemaViolations(schema: unknown, where: string): string[] {
  const fields = schema as Fields
  const found = unknownFields(fields, schemaFields, where)
  const { properties, items, anyOf, enum: values } = fields
  const type = asText(fields['type'])
  if (fields['type'] !== undefined && !/^(STRING|NUMBER|INTEGER|BOOLEAN|ARRAY|OBJECT|NULL)$/i.test(type))
    found.push(`${where}.type: ${type}`)
  if (/^object$/i.test(type) && !Object.keys(properties ?? {}).length)
    found.push(`${where}.properties: should be non-empty for OBJECT type`)
  if (/^array$/i.test(type) && items === undefined) found.push(`${where}.items: missing field.`)
  if (Array.isArray(values) && values.some((value) => typeof value !== 'string'))
    found.push(`${where}.enum: must be strings`)
  for (const [name, inner] of Object.entries(properties ?? {}))
    found.push(...schemaViolations(inner, `${where}.properties[${name}]`))
  for (const [index, inner] of ((anyOf ?? []) as unknown[]).entries())
    found.push(...schemaViolations(inner, `${where}.any_of[${index}]`))
  return items === undefined ? found : [...found, ...schemaViolations(items, `${where}.items`)]
}

function configViolations({ generationConfig = {} }: WireBody): string[] {
  const found = unknownFields(generationConfig, configFields, 'generation_config')
  const {
    maxOutputTokens,
    temperature,
    topP,
    topK,
    stopSequences,
    responseLogprobs,
    logprobs,
    thinkingConfig,
    responseMimeType,
  } = generationConfig
  if (maxOutputTokens !== undefined && !(Number.isInteger(maxOutputTokens) && Number(maxOutputTokens) >= 1))
    found.push('max_output_tokens: not a whole number of at least 1')
  if (temperature !== undefined && !(Number(temperature) >= 0 && Number(temperature) <= 2))
    found.push('temperature: the supported range is from 0 (inclusive) to 2.0001 (exclusive)')
  if (topP !== undefined && !(Number(topP) >= 0 && Number(topP) <= 1)) found.push('top_p: not between 0 and 1')
  if (topK !== undefined && !(Number.isInteger(topK) && Number(topK) >= 1))
    found.push('top_k: not a whole number of at least 1')
  if (Array.isArray(stopSequences) && (stopSequences.length > 5 || stopSequences.length === 0))
    found.push('stop_sequences: not 1 to 5')
  if (logprobs !== undefined && responseLogprobs !== true) found.push('logprobs: only with response_logprobs')
  const { thinkingBudget, thinkingLevel } = (thinkingConfig ?? {}) as Fields
  if (thinkingBudget !== undefined && thinkingLevel !== undefined)
    found.push('You can only set only one of thinking budget and thinking level.')
  if (thinkingLevel !== undefined && !/^(MINIMAL|LOW|MEDIUM|HIGH)$/i.test(asText(thinkingLevel)))
    found.push(`thinking_level: ${asText(thinkingLevel)}`)
  const schemas = ['responseSchema', 'responseJsonSchema'].filter((field) => generationConfig[field] !== undefined)
  if (schemas.length > 1) found.push('only one of response_schema and response_json_schema')
  if (schemas.length && responseMimeType !== 'application/json')
    found.push('response_schema: only with response_mime_type application/json')
  return found
}
