import { configError } from '@modelport/core'
import type { Effect, Engine } from '@modelport/runtime'
import { limitsOfCall } from './limits.js'
import type { AgentCallOptions, CallerSettings, DurableCall } from './settings.js'

/** A call on an engine. */
export interface EngineCall {
  /** The options, with an engine that is watched. */
  readonly options: AgentCallOptions
  /** What the engine threw, to suspend or to cancel: not a failure of the call. */
  thrown(): { readonly error: unknown } | undefined
}

/**
 * Watches the engine of a call: its errors belong to the workflow, not to the call.
 * @throws {LlmError} `config` — the options say as well where the call continues, or it has no id.
 */
export function watchEngine(
  settings: CallerSettings,
  options: AgentCallOptions,
  { runId, engine }: DurableCall,
): EngineCall {
  const given = (['journal', 'resume', 'messages', 'decisions'] as const).filter(
    (name) => options[name] !== undefined,
  )
  if (given.length)
    throw configError(
      `durable: the engine knows where the call continues; leave out ${given.join(', ')}`,
    )
  if (!runId)
    throw configError('durable.engine needs a runId: the same one whenever the engine calls again')
  // The wait before a recall is in no engine: a replay would wait, and count, otherwise.
  if (limitsOfCall(settings.limits, options.limits).maxRecalls)
    throw configError('durable: an engine has no recalls; set limits.maxRecalls to 0')
  let thrown: { readonly error: unknown } | undefined
  const perform: Engine['perform'] = async (effect) => {
    let isOver = false
    // A cancelled effect rejects through the engine, and that is the end of the call.
    const execute: Effect['execute'] = (attempt) =>
      effect.execute(attempt).catch((error: unknown) => {
        isOver = true
        throw error
      })
    return engine.perform({ ...effect, execute }).catch((error: unknown) => {
      if (!isOver) thrown = { error }
      throw error
    })
  }
  const wait = engine.wait?.bind(engine)
  const own: Engine = {
    perform,
    ...(wait && {
      wait: (asked) =>
        wait(asked).catch((error: unknown) => {
          thrown = { error }
          throw error
        }),
    }),
  }
  return { options: { ...options, durable: { runId, engine: own } }, thrown: () => thrown }
}
