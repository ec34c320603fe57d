import { isLlmError, type Provider, type StreamEvent } from '@modelport/core'
import { afterAll, expect } from 'vitest'
import { reportFault } from '../support/faults.js'

/** True with `npm run attack`: every attack at its full size. */
export const fullAttack: boolean = process.env['MODELPORT_ATTACK'] === 'full'

/** How many tries: those of every commit, or all. */
export const tries = (everyCommit: number, full: number): number =>
  fullAttack ? full : everyCommit

let total = 0

/** Milliseconds that one attack may take: at full size it is minutes of work. */
export const attackTimeout: number = fullAttack ? 900_000 : 180_000

/** Counts tries for the summary. */
export function count(number: number): void {
  total += number
  reportFault('attack', { tries: number })
}
afterAll(() => {
  console.log(`attack: ${total} tries in this file`)
})

/** What came of a call, as plain data: two calls that saw the same bytes must have the same. */
export interface Outcome {
  readonly text: string
  /** Name, text of the arguments and error of each complete call. */
  readonly calls: readonly (readonly [
    name: string,
    argumentsText: string,
    error: string | undefined,
  ])[]
  readonly end: string
}

const tools = [{ name: 'get_weather', description: 'The weather', parameters: { type: 'object' } }]

/**
 * Asks for a stream with a tool and reads it to its end, whatever that is. Anything but a typed
 * error fails the test.
 */
export async function outcomeOf(provider: Provider, signal?: AbortSignal): Promise<Outcome> {
  const events: StreamEvent[] = []
  const text = (): string =>
    events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('')
  const calls = (): Outcome['calls'] =>
    events.flatMap((event) =>
      event.type === 'tool-call-complete'
        ? [[event.toolCall.name, event.toolCall.argumentsText, event.toolCall.error]]
        : [],
    )
  try {
    const reader = await provider.streamWithTools([{ role: 'user', content: 'Hi' }], tools, {
      retry: { attempts: 1 },
      deadlineMs: 30_000,
      ...(signal && { signal }),
    })
    for await (const event of reader) {
      events.push(event)
      if (event.type === 'turn-end') {
        const end = `end ${event.reason}`
        await reader.close()
        return { text: text(), calls: calls(), end }
      }
    }
    return { text: text(), calls: calls(), end: 'end' }
  } catch (error) {
    if (signal?.aborted && error === signal.reason)
      return { text: text(), calls: calls(), end: 'aborted' }
    if (!isLlmError(error)) throw error
    expect(error.code, 'no mutation may run into the deadline').not.toBe('deadline')
    return { text: text(), calls: calls(), end: `error ${error.code}` }
  }
}
