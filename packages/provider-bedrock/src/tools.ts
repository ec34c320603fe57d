import { configError, isObject, LlmError, type ToolDefinition } from '@modelport/core'
import { type Turn, toHeldSchema, withVendor } from '@modelport/driver'
import { cachePoint } from './content.js'
import type { ModelTraits } from './traits.js'
import type { WireMessage, WireRequest } from './wire.js'

type WireTool = Readonly<Record<string, unknown>>

/**
 * The tools of a request and the choice among them. The API has no choice `none`, and refuses a
 * history with calls and results if no tools are defined. So if no tool may be called, those that
 * the history calls stay defined, by name only, and {@link toolsStayWarning} says so.
 * @throws {LlmError} `config` — a call is forced and there is no tool; `unsupported` — a choice or
 * an option that the API does not have.
 */
export function toToolConfig(
  turn: Turn,
  messages: readonly WireMessage[],
  traits: ModelTraits,
): WireRequest['toolConfig'] {
  const { toolChoice, parallelToolCalls, providerTools } = turn.options
  if (providerTools?.length)
    throw new LlmError(
      'unsupported',
      'providerTools: system tools of Bedrock are not supported; leave them out',
    )
  if (parallelToolCalls === false)
    throw new LlmError(
      'unsupported',
      'parallelToolCalls: Converse cannot forbid parallel calls; leave it unset',
    )
  const forced = toolChoice === 'required' || typeof toolChoice === 'object'
  const offered = toolChoice === 'none' ? [] : turn.tools.flatMap(toTool)
  if (forced && !offered.length)
    throw configError('toolChoice asks for a call, but there are no tools')
  if (forced && !traits.forcedTools)
    throw new LlmError(
      'unsupported',
      `toolChoice: ${turn.model} is not known to be forced to call a tool; use "auto"`,
    )
  if (!offered.length) {
    const former = calledTools(messages)
    return former.length ? { tools: former } : undefined
  }
  if (!forced) return { tools: offered }
  const choice = typeof toolChoice === 'object' ? { tool: { name: toolChoice.name } } : { any: {} }
  return { tools: offered, toolChoice: choice }
}

/** Warning of a reply whose model may call no tool, when the API could not be told so. */
export const toolsStayWarning =
  'Converse has no choice "none": the tools that this conversation has called stay defined, without their descriptions'

/**
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html
 * (as in @aws-sdk/client-bedrock-runtime 3.1164.0, read 2026-11-27)
 */
function toTool({
  name,
  description,
  parameters,
  strict,
  cache,
  vendor,
}: ToolDefinition): WireTool[] {
  const input = { type: 'object', ...(parameters ?? { properties: {} }) }
  const toolSpec = {
    name,
    ...(description && { description }),
    inputSchema: { json: strict ? toHeldSchema(input) : input },
    ...(strict !== undefined && { strict }),
  }
  return [
    withVendor({ toolSpec }, vendor, `vendor of the tool "${name}"`),
    ...(cache ? [cachePoint(cache)] : []),
  ]
}

function calledTools(messages: readonly WireMessage[]): WireTool[] {
  const names = messages
    .flatMap(({ content }) => content)
    .flatMap(({ toolUse }) => (isObject(toolUse) ? [toolUse['name']] : []))
  return [...new Set(names)].map((name) => ({
    toolSpec: { name, inputSchema: { json: { type: 'object' } } },
  }))
}
