import { configError, isLlmError, type JsonObject } from '@modelport/core'
import {
  executeBatch,
  saysOutcomeUnknown,
  type Tool,
  type ToolOutcome,
  type ToolSource,
} from '@modelport/runtime'
import type { CalledSource, CallSource, SourceToolInfo } from '../protocol/protocol.js'

const sourceOf = (sources: readonly ToolSource[], name: string): ToolSource => {
  const found = sources.find((source) => source.name === name)
  if (!found) throw configError(`there is no server ${JSON.stringify(name)}`)
  return found
}

/** The tools of a model and those of the studio, which replace the model's of the same name. */
export const offeredTools = (
  own: readonly Tool[],
  tools: readonly Tool[] = [],
): readonly Tool[] => [
  ...new Map([...own, ...tools].map((tool) => [tool.definition.name, tool])).values(),
]

/**
 * The sources that a run may use: without those of these names, and without tools of these names.
 */
export const sourcesWithout = (
  sources: readonly ToolSource[],
  names: readonly string[] = [],
): readonly ToolSource[] =>
  sources
    .filter(({ name }) => !names.includes(name))
    .map((source) => ({
      name: source.name,
      apiHosts: source.apiHosts,
      deferred: source.deferred,
      tools: async (signal) =>
        (await source.tools(signal)).filter(({ definition }) => !names.includes(definition.name)),
      close: () => source.close(),
    }))

/** The tools of one source, as its server lists them now. */
export async function listTools(
  sources: readonly ToolSource[],
  name: string,
  signal: AbortSignal,
): Promise<readonly SourceToolInfo[]> {
  const tools = await sourceOf(sources, name).tools(signal)
  return tools.map(({ definition: { name: tool, description, parameters } }) => ({
    name: tool,
    description,
    parameters: parameters ?? {},
  }))
}

/**
 * Calls one tool of a source, as a person asked for. A call that fails resolves with `ok: false`.
 * @throws {LlmError} `config` — there is no such source or tool.
 */
export async function callTool(
  sources: readonly ToolSource[],
  { source, tool: name, args }: CallSource,
  signal: AbortSignal,
): Promise<CalledSource> {
  const tool = (await sourceOf(sources, source).tools(signal)).find(
    ({ definition }) => definition.name === name,
  )
  if (!tool) throw configError(`${JSON.stringify(source)} has no tool ${JSON.stringify(name)}`)
  const from = performance.now()
  const called = await execute(tool, args, signal)
  return { ...called, latencyMs: Math.round(performance.now() - from) }
}

async function execute(
  tool: Tool,
  args: JsonObject,
  signal: AbortSignal,
): Promise<Omit<CalledSource, 'latencyMs'>> {
  const call = {
    id: `call-${crypto.randomUUID()}`,
    name: tool.definition.name,
    arguments: args,
    argumentsText: JSON.stringify(args),
  }
  let outcome: ToolOutcome | undefined
  await executeBatch([call], {
    tools: [tool],
    step: 1,
    signal,
    onResult: (_call, _result, found) => void (outcome = found),
  })
  if (outcome?.status === 'ok') return { ok: true, result: outcome.value }
  const { error, uncertain, message = 'the call gave no result' } = outcome ?? {}
  const why = isLlmError(error) ? `${error.code}: ${error.message}` : message
  // Whoever reads of a failure presses the button again.
  const isSilent = uncertain && !saysOutcomeUnknown(why)
  return { ok: false, message: isSilent ? `${why}; whether it had an effect is unknown` : why }
}
