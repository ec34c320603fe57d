import { configError, type JsonObject, type Provider } from '@modelport/core'
import { checkProvider, checkRequest } from '../../base/check-request.js'
import type { SchemaObject } from '../../schema/schema-value.js'
import { withOwnTools } from '../request/own-tools.js'
import { requestRules } from '../request/request-rules.js'
import type { InferRequest } from '../request/run-request.js'
import { type RunEventReader, RunReader } from '../result/run-reader.js'
import type { RunResult } from '../result/run-result.js'
import { RunState } from '../state/run-state.js'
import { inferOnEngine } from './infer-on-engine.js'
import { runLoop } from './run-loop.js'
import { toResult } from './to-result.js'
import { watchRun } from './watch-run.js'

/**
 * The type of the output: that of the request's parser or Standard Schema. A JSON Schema gives the
 * type that its literal describes.
 */
export type RunOutput<Output, Schema> = [Output] extends [never]
  ? [Schema] extends [never]
    ? never
    : SchemaObject<Schema>
  : Output

const runToResult = async (state: RunState): Promise<RunResult> =>
  toResult(state, await runLoop(state))

/**
 * Runs a model with tools until its reply is final or a limit ends the run: a call of the model,
 * the actions it asks for, their results, and so on. The result says how the run ended, also if a
 * call of the model failed; its transcript can always be sent again.
 * @throws {LlmError} `config`, `invalid-request` — the request itself is wrong; nothing was called.
 * @example
 * ```ts
 * import { createMock } from '@modelport/provider-mock'
 * import { defineTool, infer } from '@modelport/runtime'
 * import { z } from 'zod'
 *
 * const weather = defineTool({
 *   name: 'get_weather',
 *   description: 'The weather of a city',
 *   parameters: z.object({ city: z.string() }),
 *   execute: ({ city }) => `28 °C in ${city}`,
 * })
 * const provider = createMock({
 *   responses: [{ toolCalls: [{ name: 'get_weather', arguments: { city: 'Rome' } }] }, 'It is warm.'],
 * })
 * const result = await infer(provider, {
 *   messages: [{ role: 'user', content: 'Is it warm in Rome?' }],
 *   tools: [weather],
 * })
 * if (result.status === 'final') console.log(result.content)
 * ```
 *
 * ```text
 * It is warm.
 * ```
 */
export async function infer<Output = never, const Schema extends JsonObject = never>(
  provider: Provider,
  request: InferRequest<Output, Schema>,
): Promise<RunResult<RunOutput<Output, Schema>>> {
  checkProvider(provider)
  checkRequest(request, requestRules)
  const own = withOwnTools(request)
  const run = (runRequest: InferRequest): Promise<RunResult> => {
    const signal = request.signal ?? new AbortController().signal
    const state = new RunState(provider, runRequest, signal)
    return watchRun(state, () => runToResult(state))
  }
  // The output has the declared type, since the parser of the request made it.
  return own.durable?.engine ? inferOnEngine(own, run) : run(own)
}

/**
 * The same as {@link infer}, but hands out its events: the run continues as they are read. Nothing
 * starts before the first read or `result()`; `close()` cancels the run. Once the signal aborts,
 * reads reject with its reason, and the result is `cancelled`.
 * @throws {LlmError} `config`, `invalid-request` — at once; the request itself is wrong.
 * @example
 * ```ts
 * import { createMock } from '@modelport/provider-mock'
 * import { inferStream } from '@modelport/runtime'
 *
 * const provider = createMock({ responses: ['It is warm.'] })
 * const run = inferStream(provider, { messages: [{ role: 'user', content: 'Is it warm in Rome?' }] })
 * for await (const event of run) if (event.type === 'text-delta') process.stdout.write(event.text)
 * console.log(` (${(await run.result()).status})`)
 * ```
 *
 * ```text
 * It is warm. (final)
 * ```
 */
export function inferStream<Output = never, const Schema extends JsonObject = never>(
  provider: Provider,
  request: InferRequest<Output, Schema>,
): RunEventReader<RunOutput<Output, Schema>> {
  checkProvider(provider)
  checkRequest(request, requestRules)
  const own = withOwnTools(request)
  if (own.durable?.engine)
    throw configError('durable.engine: an engine runs infer; watch it with observe.onEvent')
  return new RunReader(request.signal, (signal, sink) => {
    const state = new RunState(provider, own, signal, sink)
    return () => watchRun(state, () => runToResult(state))
  })
}
