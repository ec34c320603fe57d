import type { ChatMessage } from '@modelport/core'
import { createMock, type MockTurn } from '@modelport/provider-mock'
import {
  createMemoryJournal,
  type InferRequest,
  infer,
  type MemoryJournal,
  type PendingQuestion,
  type ResumeDecision,
  type RunJournal,
  type RunResult,
} from '../src/index.js'

/** When a journal fails: at which call, and whether it stores what it was given before that. */
export interface Cut {
  readonly at: number
  readonly stores: boolean
}

/** A journal that fails at one call and at every later one, as if its process had ended there. */
export function cutJournal(
  memory: MemoryJournal,
  { at, stores }: Cut,
): { journal: RunJournal; calls(): number } {
  let calls = 0
  const guard = (write: () => void): void => {
    calls++
    if (calls === at && stores) write()
    if (calls >= at) throw new Error('the process ended here')
    write()
  }
  return {
    calls: () => calls,
    journal: {
      writeIntent: (intent) => guard(() => void memory.writeIntent(intent)),
      writeReceipt: (receipt) => guard(() => void memory.writeReceipt(receipt)),
      writeCheckpoint: (checkpoint, change) =>
        guard(() => void memory.writeCheckpoint(checkpoint, change)),
      readTail: (checkpoint) => memory.readTail(checkpoint),
    },
  }
}

/** What the world outside has seen: how often each effect happened, by its idempotency key. */
export class World {
  readonly effects = new Map<string, number>()
  readonly results = new Map<string, unknown>()

  happen<Result>(key: string, result: Result): Result {
    this.effects.set(key, (this.effects.get(key) ?? 0) + 1)
    this.results.set(key, result)
    return result
  }
}

/** A run that can be cut anywhere. */
export interface Scenario {
  /** The reply to a request, from its conversation alone: the same in every process. */
  reply(messages: readonly ChatMessage[]): string | MockTurn
  request(world: World): InferRequest
  /** Makes the provider, if a mock of `reply` will not do. */
  provider?(world: World): Parameters<typeof infer>[0]
}

export const providerOf = (scenario: Scenario, world: World): Parameters<typeof infer>[0] =>
  scenario.provider?.(world) ??
  createMock({ defaultResponse: ({ messages }) => scenario.reply(messages) })

/** What came of a run that was continued until nothing could be done any more. */
export interface Continued {
  readonly result: RunResult
  readonly world: World
  /** Keys of calls that were reported as uncertain. */
  readonly uncertain: readonly string[]
}

/** Answers a question with its own text, and refuses what has no schema. */
const answerTo = ({ id, digest, question }: PendingQuestion): ResumeDecision =>
  question.schema
    ? {
        type: 'answer',
        id,
        digest,
        action: 'accept',
        content: { said: question.message },
        by: 'me',
      }
    : { type: 'answer', id, digest, action: 'decline' }

/**
 * Continues from what is stored until the run ends; approves what waits, and answers what is
 * uncertain from what the world has seen.
 */
export async function continueRun(
  scenario: Scenario,
  world: World,
  memory: MemoryJournal,
  runId: string,
  first: RunResult,
): Promise<Continued> {
  const uncertain: string[] = []
  let result = first
  let decisions: readonly ResumeDecision[] = []
  for (let round = 0; round < 10; round++) {
    if (result.status === 'suspended') {
      decisions = result.pending.map((item): ResumeDecision => {
        if (item.type === 'approval')
          return { type: 'approve', id: item.id, digest: item.digest, by: 'me' }
        if (item.type === 'question') return answerTo(item)
        if (item.type !== 'uncertain')
          return { type: 'result', id: item.id, result: `result of ${item.taskId}` }
        uncertain.push(item.idempotencyKey)
        return world.effects.has(item.idempotencyKey)
          ? { type: 'result', id: item.id, result: world.results.get(item.idempotencyKey) }
          : { type: 'repeat', id: item.id }
      })
    } else if (!(result.status === 'failed' && result.error.name === 'JournalError')) {
      return { result, world, uncertain }
    }
    const stored = memory.load(runId)
    const { query, durable, ...rest } = scenario.request(world)
    // Cut before anything was stored: the application begins again.
    const request = stored
      ? {
          ...rest,
          messages: stored.messages,
          durable: { ...durable, resume: stored.resume, decisions, journal: memory },
        }
      : { ...rest, query, durable: { ...durable, runId, journal: memory } }
    result = await infer(providerOf(scenario, world), request)
    decisions = []
  }
  throw new Error('the run did not end')
}

/** Runs until the cut, then continues; `isCut` is false if the run ended before it. */
export async function runWithCut(
  scenario: Scenario,
  cut: Cut,
): Promise<Continued & { readonly isCut: boolean; readonly keys: readonly string[] }> {
  const world = new World()
  const memory = createMemoryJournal()
  const { journal, calls } = cutJournal(memory, cut)
  const runId = 'run_1'
  const request = scenario.request(world)
  const first = await infer(providerOf(scenario, world), {
    ...request,
    durable: { ...request.durable, runId, journal },
  })
  const continued = await continueRun(scenario, world, memory, runId, first)
  const keys = memory
    .entries(runId)
    .map((entry) =>
      'idempotencyKey' in entry
        ? `${entry.entry} ${entry.key} sends ${entry.idempotencyKey}`
        : `${entry.entry} ${entry.key}`,
    )
  return { ...continued, isCut: calls() >= cut.at, keys }
}
