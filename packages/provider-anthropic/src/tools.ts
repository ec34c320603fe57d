import { type JsonObject, LlmError, type ToolDefinition } from '@modelport/core'
import { type Turn, withVendor } from '@modelport/driver'
import type { ModelTraits } from './traits.js'

/** Tools the API runs, as they were given, then the caller's own with their whole schema. */
export function toTools({ tools, options }: Turn): readonly JsonObject[] {
  return [...(options.providerTools ?? []), ...tools.map(toTool)]
}

const toTool = ({ name, description, parameters, strict, vendor }: ToolDefinition): JsonObject =>
  withVendor(
    {
      name,
      ...(description && { description }),
      // The API wants `type`; a schema without it is one of an object too.
      input_schema: { type: 'object', ...(parameters ?? { properties: {} }) },
      ...(strict !== undefined && { strict }),
    },
    vendor,
    `vendor of the tool "${name}"`,
  )

/**
 * The choice among the tools; undefined where the API's own default says the same.
 * @throws {LlmError} `config` — a call is forced and there is no tool; `unsupported` — the model or its thinking allows no forced call.
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools (read 2026-11-21)
 */
export function toToolChoice(turn: Turn, traits: ModelTraits, budgeted: boolean): JsonObject | undefined {
  const { toolChoice, parallelToolCalls, providerTools } = turn.options
  const none = !turn.tools.length && !providerTools?.length
  const forced = toolChoice === 'required' || typeof toolChoice === 'object'
  if (forced && none) throw new LlmError('config', 'toolChoice asks for a call, but there are no tools')
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
  return toolChoice === 'auto' || parallelToolCalls === false ? { type: 'auto', ...single } : undefined
}
