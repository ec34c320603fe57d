import { createMock, type MockProvider, type MockResponse } from '@modelport/provider-mock'
import { expect } from 'vitest'
import {
  defineTool,
  type InferRequest,
  infer,
  type MemoryJournal,
  type RunEvent,
  type RunResult,
} from '../src/index.js'

/** A tool that gives the weather of a city. */
export const weather = (
  execute: (args: { city?: unknown }) => unknown = ({ city }) => `18 degrees in ${String(city)}`,
) =>
  defineTool({
    name: 'get_weather',
    description: 'Weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    execute,
  })

/** An answer that asks for the weather of each city. */
export const calls = (...cities: unknown[]): MockResponse => ({
  toolCalls: cities.map((city) => ({ name: 'get_weather', arguments: { city } })),
})

/** An answer that is an action of the JSON mode. */
export const action = (value: unknown): string => JSON.stringify(value)

/** The same action for the weather of a city. */
export const weatherAction = (city: string): string =>
  action({ type: 'tool_call', tool: 'get_weather', args: { city } })

/** A run that is over, with all it said. */
export interface Ran {
  readonly provider: MockProvider
  readonly result: RunResult
  readonly events: readonly RunEvent[]
  readonly types: readonly RunEvent['type'][]
  /** The events of one type. */
  of<Type extends RunEvent['type']>(type: Type): readonly Extract<RunEvent, { type: Type }>[]
}

/** Runs with a model that gives these replies, and keeps every event. */
export async function run(
  responses: readonly MockResponse[],
  request: Partial<InferRequest> = {},
): Promise<Ran> {
  const events: RunEvent[] = []
  const provider = createMock({ responses })
  const result = await infer(provider, {
    query: 'What is the weather?',
    tools: [weather()],
    ...request,
    observe: { onEvent: (event) => void events.push(event), ...request.observe },
  })
  const of = <Type extends RunEvent['type']>(type: Type) =>
    events.filter((event): event is Extract<RunEvent, { type: Type }> => event.type === type)
  return { provider, result, events, of, types: events.map(({ type }) => type) }
}

/** The part of a request that continues the run "r" of a journal. */
export function loaded(
  journal: MemoryJournal,
  durable: InferRequest['durable'] = {},
): InferRequest {
  const { messages, resume } = journal.load('r') ?? {}
  return { messages, durable: { journal, resume, ...durable } }
}

/** The result as one of this status; the test fails where it has another. */
export const ended = <Status extends RunResult['status']>(
  result: RunResult,
  status: Status,
): Extract<RunResult, { status: Status }> => {
  expect(
    result.status === 'failed' && status !== 'failed' ? result.error : undefined,
  ).toBeUndefined()
  expect(result).toMatchObject({ status })
  return result as Extract<RunResult, { status: Status }>
}

/** Who said what, in order. */
export const roles = (result: RunResult) => result.transcript.map(({ role }) => role)
