import { LlmError } from '@modelport/core'

/** The options of a {@link Flow}. */
export interface FlowOptions {
  /** Ends the flow: no further part starts, and each gets it. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Anything that makes a text of a text: a run, a message to an agent, a function, another flow.
 * Errors end the flow and reach its caller as they are.
 */
export type Flow = (input: string, options?: FlowOptions) => Promise<string>

/**
 * One part after the other, in the order of the object: each gets the result of the one before,
 * with the names of the parts that follow.
 * @throws {LlmError} `config` — there is no part, or one is not a function.
 */
export function sequence(parts: Readonly<Record<string, Flow>>): Flow {
  const list = partsOf('sequence', parts)
  return async (input, options = {}) => {
    let text = input
    for (const [index, [, part]] of list.entries()) {
      options.signal?.throwIfAborted()
      const later = list.slice(index + 1).map(([name]) => name)
      text = await part(
        later.length ? `${text}\n\n(Your result goes to: ${later.join(', then ')}.)` : text,
        options,
      )
    }
    return text
  }
}

/**
 * All parts at once on the same text. The result has a section for each, in the order of the
 * object: its name as a heading, then its text. The first failure aborts the others.
 * @throws {LlmError} `config` — as {@link sequence}.
 */
export function parallel(parts: Readonly<Record<string, Flow>>): Flow {
  const list = partsOf('parallel', parts)
  return async (input, { signal } = {}) => {
    signal?.throwIfAborted()
    const failed = new AbortController()
    const inner = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal
    const work = list.map(
      async ([name, part]) => `## ${name}\n\n${await part(input, { signal: inner })}`,
    )
    try {
      return (await Promise.all(work)).join('\n\n')
    } catch (error) {
      failed.abort(error)
      await Promise.allSettled(work)
      throw error
    }
  }
}

/**
 * One of the parts, by the name that `choose` gives: another flow that answers with a name, or a
 * function.
 * @throws {LlmError} `config` — as {@link sequence}; the flow rejects with it if the name is not
 * one of the parts'.
 */
export function route(
  parts: Readonly<Record<string, Flow>>,
  choose: (input: string, options: FlowOptions) => string | Promise<string>,
): Flow {
  const byName = new Map(partsOf('route', parts))
  return async (input, options = {}) => {
    const name = (await choose(input, options)).trim()
    const part = byName.get(name)
    if (!part)
      throw new LlmError(
        'config',
        `route: there is no part ${JSON.stringify(name)}; known: ${[...byName.keys()].join(', ')}`,
      )
    options.signal?.throwIfAborted()
    return part(input, options)
  }
}

/**
 * The part again and again, on its own last result, until `isDone` says so: at least once.
 * @param isDone gets the result and the number of the round, from 1
 * @param maxRounds default 5; the flow rejects with `limit-exceeded` after them
 */
export function repeatUntil(
  part: Flow,
  isDone: (result: string, round: number) => boolean | Promise<boolean>,
  maxRounds: number = 5,
): Flow {
  return async (input, options = {}) => {
    let text = input
    for (let round = 1; round <= maxRounds; round++) {
      options.signal?.throwIfAborted()
      text = await part(text, options)
      if (await isDone(text, round)) return text
    }
    throw new LlmError(
      'limit-exceeded',
      `repeatUntil: not done after ${maxRounds} rounds; raise maxRounds, or check isDone`,
    )
  }
}

function partsOf(
  where: string,
  parts: Readonly<Record<string, Flow>>,
): readonly (readonly [string, Flow])[] {
  const list = Object.entries(parts)
  if (!list.length || list.some(([, part]) => typeof part !== 'function'))
    throw new LlmError(
      'config',
      `${where}: give an object with at least one flow by name, each a function of a text`,
    )
  return list
}
