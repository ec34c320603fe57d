import type { ToolCall, ToolResult } from '@modelport/core'
import type { LocalTool } from '../tool-module.js'

/** Asks whether a call may run. `shown` is the exact JSON that will run, every character visible. */
export type Approve = (name: string, shown: string) => Promise<boolean>

/** What running a call needs. */
export interface ToolRun {
  readonly tools: readonly LocalTool[]
  readonly approve: Approve
  readonly step: number
  readonly signal: AbortSignal
}

/**
 * Runs one call and describes what came of it; whatever goes wrong becomes a result that the model can read. What is run is made
 * of the text that was approved, so that nothing can change in between.
 */
export async function runTool(call: ToolCall, { tools, approve, step, signal }: ToolRun): Promise<ToolResult> {
  const fail = (content: string): ToolResult => ({ callId: call.id, content, isError: true })
  if (call.error !== undefined) return fail(`The arguments are not a JSON object: ${call.error}`)
  const tool = tools.find(({ definition }) => definition.name === call.name)
  if (!tool) return fail(`There is no tool ${JSON.stringify(call.name)}.`)
  const shown = toVisible(JSON.stringify(call.arguments))
  if (!(await approve(call.name, shown))) return fail('The user did not allow this call.')
  try {
    const value = await tool.check(JSON.parse(shown) as ToolCall['arguments'])
    const result = await unlessAborted(tool.execute(value, { callId: call.id, step, signal }), signal)
    return { callId: call.id, content: typeof result === 'string' ? result : JSON.stringify(result ?? null) }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return fail(error instanceof Error ? error.message : String(error))
  }
}

/** Everything but plain ASCII as `\uXXXX`: nothing can hide on a terminal, and JSON stays the same JSON. */
export const toVisible = (text: string): string => text.replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A tool that does not listen must not hold up Ctrl-C. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => { reject(signal.reason) }
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort)
    work.finally(() => { signal.removeEventListener('abort', onAbort) }).then(resolve, reject)
  })
}
