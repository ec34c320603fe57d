import type { JsonObject, ToolDefinition } from '@modelport/core'
import { LlmError } from '@modelport/core'
import { type Turn, withVendor } from '@modelport/driver'
import { toOpenApiSchema } from './schema.js'
import { unhonouredKeywords, withEnums } from './schema-keywords.js'
import type { ModelTraits } from './traits.js'

/**
 * `tools` and `toolConfig` of a request. Besides functions the Gemini API takes tools of its own
 * only with a flag, which Vertex AI does not know.
 * @see https://ai.google.dev/gemini-api/docs/tool-combination (read 2026-11-21)
 */
export function toTools(
  turn: Turn,
  traits: ModelTraits,
  vertex: boolean,
): { readonly tools?: readonly unknown[]; readonly toolConfig?: JsonObject } {
  const { tools, options } = turn
  if (options.parallelToolCalls === false) {
    throw new LlmError(
      'unsupported',
      'google: parallelToolCalls: false cannot be said in this API; leave it unset and answer the calls one by one',
    )
  }
  const declarations = tools.map((tool) => toDeclaration(tool, traits))
  const { providerTools = [] } = options
  const all = [
    ...(declarations.length ? [{ functionDeclarations: declarations }] : []),
    ...providerTools,
  ]
  if (!all.length) return {}
  const functionCallingConfig = toCallingConfig(turn)
  const toolConfig = {
    ...(functionCallingConfig && { functionCallingConfig }),
    ...(!vertex &&
      declarations.length &&
      providerTools.length && { includeServerSideToolInvocations: true }),
  }
  return { tools: all, ...(Object.keys(toolConfig).length && { toolConfig }) }
}

/**
 * What the model will not be held to: keywords that go out as they are but that the API is not
 * documented to honour.
 */
export function schemaWarnings(
  { tools, options: { responseFormat } }: Turn,
  traits: ModelTraits,
): string[] {
  if (traits.schema === 'openapi') return []
  const schemas = tools.map(({ name, parameters }) => [`tool "${name}"`, parameters] as const)
  const format =
    responseFormat?.type === 'json-schema'
      ? [['responseFormat', responseFormat.schema] as const]
      : []
  return [...schemas, ...format].flatMap(([subject, schema]) => {
    const pointers = unhonouredKeywords(withEnums(schema))
    return pointers.length
      ? [`google: ${subject}: the API may not hold the model to ${pointers.join(', ')}`]
      : []
  })
}

const toDeclaration = (tool: ToolDefinition, traits: ModelTraits): JsonObject =>
  withVendor(toOwnDeclaration(tool, traits), tool.vendor, `vendor of the tool "${tool.name}"`)

function toOwnDeclaration(
  { name, description, parameters }: ToolDefinition,
  traits: ModelTraits,
): JsonObject {
  if (parameters === undefined) return { name, description }
  if (traits.schema !== 'openapi')
    return { name, description, parametersJsonSchema: withEnums(parameters) }
  const converted = toOpenApiSchema(parameters, `tool "${name}"`)
  // The OpenAPI form refuses an object without properties; a function without parameters has no
  // schema there.
  return converted['properties'] === undefined && converted['anyOf'] === undefined
    ? { name, description }
    : { name, description, parameters: converted }
}

/**
 * The mode of function calling. `VALIDATED` holds the model to the schemas and leaves it the
 * choice.
 * @see https://ai.google.dev/gemini-api/docs/function-calling (read 2026-11-21)
 */
function toCallingConfig({ tools, options: { toolChoice } }: Turn): JsonObject | undefined {
  if (!tools.length) return undefined
  if (typeof toolChoice === 'object') {
    if (!tools.some(({ name }) => name === toolChoice.name)) {
      throw new LlmError(
        'invalid-request',
        `google: toolChoice names "${toolChoice.name}", which is not one of the tools (${tools.map(({ name }) => name).join(', ')})`,
      )
    }
    return { mode: 'ANY', allowedFunctionNames: [toolChoice.name] }
  }
  if (toolChoice === 'none') return { mode: 'NONE' }
  if (toolChoice === 'required') return { mode: 'ANY' }
  if (tools.some(({ strict }) => strict)) return { mode: 'VALIDATED' }
  return toolChoice === 'auto' ? { mode: 'AUTO' } : undefined
}
