import { asText } from '@modelport/core'
import { defined } from '@modelport/driver'
import * as z from 'zod'
import type { WireConversation, WireConversationMessage, WireRequest } from '../wire-format.js'
import { anyOf, brokenRules, readBody } from './body-form.js'
import { content, contentViolations, type WireResult } from './gemini-contents.js'

const count = z.number().int().min(1).optional()
const schemaType = z.string().regex(/^(STRING|NUMBER|INTEGER|BOOLEAN|ARRAY|OBJECT|NULL)$/i)
const thinkingLevel = z.string().regex(/^(MINIMAL|LOW|MEDIUM|HIGH)$/i)

/** The OpenAPI subset; an object has properties there. */
const schema: z.ZodType = z.lazy(() =>
  z
    .strictObject({
      type: schemaType.optional(),
      properties: z.record(z.string(), schema).optional(),
      items: schema.optional(),
      anyOf: z.array(schema).optional(),
      enum: z.array(z.string()).optional(),
      ...anyOf(
        'format title description nullable minItems maxItems required minProperties maxProperties minLength',
      ),
      ...anyOf('maxLength pattern example propertyOrdering default minimum maximum'),
    })
    .refine(
      ({ type = '', properties = {} }) =>
        !/^object$/i.test(type) || Object.keys(properties).length > 0,
      'properties: should be non-empty for OBJECT type',
    )
    .refine(
      ({ type = '', items }) => !/^array$/i.test(type) || items !== undefined,
      'items: missing field',
    ),
)
const declaration = z
  .strictObject({
    name: z.string().regex(/^[A-Za-z_][\w.:-]{0,127}$/, 'Invalid function name.'),
    parameters: schema.optional(),
    parametersJsonSchema: z.looseObject({ type: z.literal('object') }).optional(),
    ...anyOf('description behavior response responseJsonSchema'),
  })
  .refine(
    ({ parameters, parametersJsonSchema: json }) => parameters === undefined || json === undefined,
    'only one of parameters and parametersJsonSchema',
  )
const tool = z.strictObject({
  functionDeclarations: z.array(declaration).optional(),
  ...anyOf(
    'googleSearch googleSearchRetrieval codeExecution urlContext fileSearch googleMaps computerUse',
  ),
  ...anyOf('enterpriseWebSearch exaAiSearch parallelAiSearch retrieval mcpServers'),
})
const calling = z.looseObject({
  mode: z.enum(['AUTO', 'ANY', 'NONE', 'VALIDATED']),
  allowedFunctionNames: z.array(z.string()).optional(),
})
const toolConfig = z.strictObject({
  functionCallingConfig: calling.optional(),
  ...anyOf('retrievalConfig includeServerSideToolInvocations'),
})
const thinkingConfig = z
  .looseObject({ thinkingLevel: thinkingLevel.optional(), ...anyOf('thinkingBudget') })
  .refine(
    ({ thinkingBudget: budget, thinkingLevel: level }) =>
      budget === undefined || level === undefined,
    'You can only set only one of thinking budget and thinking level.',
  )
const generationConfig = z.strictObject({
  maxOutputTokens: count,
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  topK: count,
  stopSequences: z.array(z.string()).min(1).max(5).optional(),
  thinkingConfig: thinkingConfig.optional(),
  ...anyOf(
    'responseMimeType responseSchema responseJsonSchema responseModalities candidateCount seed presencePenalty',
  ),
  ...anyOf(
    'frequencyPenalty responseLogprobs logprobs enableEnhancedCivicAnswers speechConfig imageConfig',
  ),
  ...anyOf(
    'mediaResolution audioTimestamp audioTranscriptionConfig routingConfig modelSelectionConfig',
  ),
})
const generateBody = z.strictObject({
  contents: z.array(content).min(1, 'contents is not specified'),
  systemInstruction: z
    .looseObject({ parts: z.array(z.strictObject({ text: z.string() })).min(1) })
    .optional(),
  tools: z.array(tool).min(1).optional(),
  toolConfig: toolConfig.optional(),
  generationConfig: generationConfig.optional(),
  ...anyOf(
    'safetySettings cachedContent labels serviceTier store continuationToken modelArmorConfig outputConfig',
  ),
})
type GenerateBody = z.infer<typeof generateBody>

/**
 * The conversation of a request. Calls and results have the wire's ids, or their place in the
 * conversation.
 */
export function geminiRead({ path, body }: WireRequest): WireConversation {
  const {
    contents = [],
    systemInstruction,
    tools,
    generationConfig = {},
  } = body as Partial<GenerateBody>
  const { maxOutputTokens, temperature } = generationConfig
  let open: string[] = []
  let callCount = 0
  const messages = contents.flatMap(({ role, parts }): WireConversationMessage[] => {
    const text = parts.map((part) => (part.thought === true ? '' : asText(part.text))).join('')
    if (role === 'model') {
      const toolCalls = parts.flatMap(({ functionCall: call }) =>
        call
          ? [{ id: asText(call.id) || `at ${callCount++}`, name: call.name, arguments: call.args }]
          : [],
      )
      open = toolCalls.map(({ id }) => id)
      return [{ role: 'assistant', text, toolCalls }]
    }
    const results = parts.flatMap(({ functionResponse: result }) =>
      result ? [readResult(result, open.shift())] : [],
    )
    return results.length === parts.length ? results : [...results, { role: 'user', text }]
  })
  return {
    model: /models\/([^:/]+):/.exec(path)?.[1] ?? '',
    stream: path.includes(':streamGenerateContent'),
    system: (systemInstruction?.parts ?? []).map(({ text }) => text).join('\n'),
    tools: declarationsOf(tools).map(({ name, parameters, parametersJsonSchema }) => ({
      name,
      parameters: parametersJsonSchema ?? parameters,
    })),
    messages,
    ...defined({ maxTokens: maxOutputTokens, temperature }),
  }
}

function readResult(
  { id, name, response: { output, error } }: WireResult,
  place = '',
): WireConversationMessage {
  return {
    role: 'tool',
    callId: asText(id) || place,
    name,
    text: String(error ?? output),
    ...(error !== undefined && { isError: true }),
  }
}

const declarationsOf = (
  tools: GenerateBody['tools'] = [],
): readonly z.infer<typeof declaration>[] =>
  tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations)

/** The rules of the API that a request breaks. */
export function geminiViolations(request: WireRequest): readonly string[] {
  const { path, headers } = request
  const query = new URLSearchParams(path.split('?')[1] ?? '')
  const violations = brokenRules([
    [query.has('key'), 'the key is in the URL'],
    [
      path.includes(':streamGenerateContent') !== (query.get('alt') === 'sse'),
      'alt=sse: on streams, and only there',
    ],
    [
      !headers['x-goog-api-key'] && !headers['authorization']?.startsWith('Bearer '),
      'x-goog-api-key and authorization: missing',
    ],
  ])
  const { body, problems } = readBody(generateBody, request)
  if (!body) return [...violations, ...problems]
  const signed = !/models\/gemini-[12]\./.test(path)
  return [
    ...violations,
    ...toolViolations(body),
    ...configViolations(body),
    ...contentViolations(body.contents, signed),
  ]
}

function toolViolations({ tools, toolConfig }: GenerateBody): string[] {
  const names = declarationsOf(tools).map(({ name }) => name)
  const { mode = '', allowedFunctionNames: allowed } = toolConfig?.functionCallingConfig ?? {}
  return brokenRules([
    ...names.map(
      (name, index) =>
        [names.indexOf(name) < index, `Duplicate function declaration found: ${name}`] as const,
    ),
    [!!mode && !names.length, 'Function calling config is set without function_declarations.'],
    [
      !!allowed && !/^(ANY|VALIDATED)$/.test(mode),
      'allowed_function_names should only be set when the mode is ANY',
    ],
    ...(allowed ?? []).map(
      (name) =>
        [!names.includes(name), `allowed_function_names: unknown function ${name}`] as const,
    ),
  ])
}

function configViolations({ generationConfig = {} }: GenerateBody): string[] {
  const { responseLogprobs, logprobs, responseSchema, responseJsonSchema, responseMimeType } =
    generationConfig
  const schemas = [responseSchema, responseJsonSchema].filter((one) => one !== undefined)
  return brokenRules([
    [logprobs !== undefined && responseLogprobs !== true, 'logprobs: only with response_logprobs'],
    [schemas.length > 1, 'only one of response_schema and response_json_schema'],
    [
      schemas.length > 0 && responseMimeType !== 'application/json',
      'response_schema: only with response_mime_type application/json',
    ],
  ])
}
