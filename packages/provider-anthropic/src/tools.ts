import {
  asText,
  configError,
  type JsonObject,
  LlmError,
  type ToolDefinition,
} from '@modelport/core'
import { type Turn, toHeldSchema, withVendor } from '@modelport/driver'
import { cacheMark } from './cache-mark.js'
import type { ModelTraits } from './traits.js'
import type { WireMessage } from './wire.js'

/** Tools the API runs, as they were given, then the caller's own with their whole schema. */
export function toTools({ tools, options }: Turn): readonly JsonObject[] {
  const providerTools = options.providerTools ?? []
  const runner = providerTools
    .map(({ type }) => asText(type))
    .find((type) => type.startsWith('code_execution_'))
  return [...providerTools, ...tools.map((tool) => toTool(tool, runner))]
}

/**
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/programmatic-tool-calling (as
 * in @anthropic-ai/sdk 1.11.0 `Tool`, read 2026-11-24)
 */
function toCallers({ name, callers }: ToolDefinition, runner: string | undefined): JsonObject {
  if (!callers) return {}
  if (callers.includes('code') && runner === undefined)
    throw configError(
      `callers of the tool "${name}": code calls it only next to a tool that runs code; add { type: 'code_execution_20260120', name: 'code_execution' } to providerTools`,
    )
  return { allowed_callers: callers.map((caller) => (caller === 'code' ? runner : 'direct')) }
}

function toTool(tool: ToolDefinition, runner: string | undefined): JsonObject {
  const { name, description, parameters, strict, deferred, cache, vendor } = tool
  // The API wants `type`; a schema without it is one of an object too.
  const input = { type: 'object', ...(parameters ?? { properties: {} }) }
  return withVendor(
    {
      name,
      ...(description && { description }),
      input_schema: strict ? toHeldSchema(input) : input,
      ...(strict !== undefined && { strict }),
      ...(deferred && { defer_loading: true }),
      ...toCallers(tool, runner),
      ...(cache && cacheMark[cache]),
    },
    vendor,
    `vendor of the tool "${name}"`,
  )
}

/**
 * The tools that a conversation has called, for a request that has none: the API refuses calls and
 * results without a definition ("Requests which include `tool_use` or `tool_result` blocks must
 * define tools"). The choice `none` keeps the model from calling them.
 */
export function toFormerTools(messages: readonly WireMessage[]): readonly JsonObject[] {
  const calls = messages.flatMap(({ content }) => content).filter(({ type }) => type === 'tool_use')
  return [...new Set(calls.map(({ name }) => name))].map((name) => ({
    name,
    input_schema: { type: 'object' },
  }))
}

/**
 * The choice among the tools; undefined where the API's own default says the same.
 * @throws {LlmError} `config` — a call is forced and there is no tool; `unsupported` — the model or
 * its thinking allows no forced call.
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools (read 2026-11-21)
 */
export function toToolChoice(
  turn: Turn,
  traits: ModelTraits,
  budgeted: boolean,
): JsonObject | undefined {
  const { toolChoice, parallelToolCalls, providerTools } = turn.options
  const none = !turn.tools.length && !providerTools?.length
  const forced = toolChoice === 'required' || typeof toolChoice === 'object'
  if (forced && none) throw configError('toolChoice asks for a call, but there are no tools')
  if (forced && !traits.forcedTools) {
    throw new LlmError(
      'unsupported',
      `toolChoice: ${turn.model} cannot be forced to call a tool; use "auto" and ask for it in the prompt`,
    )
  }
  if (forced && budgeted)
    throw new LlmError(
      'unsupported',
      'toolChoice: a call cannot be forced while the model thinks; use "auto", or reasoning "none"',
    )
  if (none) return undefined
  const single = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {}
  if (toolChoice === 'none') return { type: 'none' }
  if (toolChoice === 'required') return { type: 'any', ...single }
  if (typeof toolChoice === 'object') return { type: 'tool', name: toolChoice.name, ...single }
  return toolChoice === 'auto' || parallelToolCalls === false
    ? { type: 'auto', ...single }
    : undefined
}
