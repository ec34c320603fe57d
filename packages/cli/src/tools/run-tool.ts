import type { ToolCall, ToolResult } from '@modelport/core'
import type { LocalTool } from './tool-module.js'

/** Asks whether a call may run. `shown` is the exact JSON that will run, every character visible. */
export type Approve = (name: string, shown: string) => Promise<boolean>

/** What running a call needs. */
export interface ToolRun {
  readonly tools: readonly LocalTool[]
  readonly approve: Approve
  readonly step: number
  /** Most milliseconds a tool may take that does not say. Default: {@link defaultToolSeconds}. */
  readonly timeoutMs?: number
  readonly signal: AbortSignal
  /** Called before the tool runs, once the call is allowed and its arguments are valid. */
  readonly onStart?: (call: ToolCall) => void
}

/** Seconds a call of a tool may take where nobody says: the same as in the runtime. */
export const defaultToolSeconds = 120
/** Milliseconds; a longer timer would run out at once. */
const longestTimer = 2 ** 31 - 1

/**
 * Runs one call and describes what came of it; whatever goes wrong becomes a result that the model can read. What is run is made
 * of the text that was approved, so that nothing can change in between.
 */
export async function runTool(
  call: ToolCall,
  { tools, approve, step, timeoutMs = defaultToolSeconds * 1000, signal, onStart }: ToolRun,
): Promise<ToolResult> {
  const fail = (content: string): ToolResult => ({ callId: call.id, content, isError: true })
  if (call.error !== undefined) return fail(`The arguments are not a JSON object: ${call.error}`)
  const tool = tools.find(({ definition }) => definition.name === call.name)
  if (!tool) return fail(`There is no tool ${JSON.stringify(call.name)}.`)
  const shown = toVisible(JSON.stringify(call.arguments))
  if (!(await approve(call.name, shown))) return fail('The user did not allow this call.')
  try {
    const value = await tool.check(JSON.parse(shown) as ToolCall['arguments'])
    onStart?.(call)
    const result = await inTime(
      (ended) => tool.execute(value, { callId: call.id, step, signal: ended }),
      call.name,
      tool.timeoutMs ?? timeoutMs,
      signal,
    )
    return { callId: call.id, content: typeof result === 'string' ? result : JSON.stringify(result ?? null) }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return fail(error instanceof Error ? error.message : String(error))
  }
}

/** Escapes what a terminal would act on, reorder or not show as `\uXXXX`: nothing can hide, letters stay readable, and JSON stays the same JSON. */
export const toVisible = (text: string): string =>
  text.replace(hidden, (found) =>
    found === ' '
      ? found
      : found
          .split('')
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .join(''),
  )

/** Controls, spaces, what is not shown, and the blank of Braille. */
const hidden = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** A tool that does not listen must not hold up Ctrl-C, nor the chat for ever: what it says later is dropped. */
async function inTime<T>(
  work: (signal: AbortSignal) => Promise<T>,
  name: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<T> {
  const late = new AbortController()
  const seconds = timeoutMs / 1000
  const timer =
    timeoutMs === Infinity
      ? undefined
      : setTimeout(
          () => {
            late.abort(
              new Error(`The tool "${name}" did not answer within ${seconds} s; whether it had an effect is unknown.`),
            )
          },
          Math.min(timeoutMs, longestTimer),
        )
  const ended = AbortSignal.any([signal, late.signal])
  try {
    return await new Promise<T>((resolve, reject) => {
      const onAbort = (): void => {
        reject(ended.reason)
      }
      if (ended.aborted) onAbort()
      ended.addEventListener('abort', onAbort)
      work(ended).then(resolve, reject)
    })
  } finally {
    clearTimeout(timer)
  }
}
