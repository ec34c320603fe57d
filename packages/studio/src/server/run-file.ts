import { z } from 'zod'
import type { Exchange, RunRecord, StudioEvent } from '../protocol/protocol.js'
import type { StudioStore } from '../store/studio-store.js'
import { isMessage, readSentRequest, wrongField } from './ingest-forms.js'

const text = z.string()
const message = z.custom(isMessage, 'is not a message')
const count = z.number().min(0)
const counts = { inputTokens: count, outputTokens: count, cacheReadTokens: count }
const texts = z.record(z.string(), z.string())
const list = z.array(text).optional()
const settings = z.looseObject({
  tools: list,
  without: list,
  options: z.looseObject({ system: text.nullish() }).optional(),
})
const event = z.looseObject({ type: text }).superRefine((given, context) => {
  const wrong = wrongField(given)
  if (wrong !== undefined)
    context.addIssue({ code: 'custom', path: [wrong], message: 'has not the form of an event' })
})
const types = z.enum(['run', 'agent', 'wait', 'decision', 'note', 'request', 'end', 'continued'])
const numbered = z.looseObject({
  seq: z.number().int(),
  at: z.number(),
  type: types,
  event: event.optional(),
})
const request = z
  .looseObject({ type: text, request: z.unknown().optional() })
  .refine(({ type, request: sent }) => type !== 'request' || readSentRequest(sent) !== undefined, {
    message: 'is not a request',
    path: ['request'],
  })

/** What a file with one run must have for the page to show it; the rest is kept as it is. */
export const runFile: z.ZodType<object> = z.object({
  modelport: z.literal('run', 'must be "run"'),
  version: z.literal(1),
  run: z.looseObject({
    at: z.number().int().min(0).max(8.64e12),
    model: text,
    title: text,
    program: text.optional(),
    settings: settings.optional(),
    status: z.enum(['final', 'limit', 'budget', 'suspended', 'cancelled', 'failed']),
    messages: z.array(message),
    transcript: z.array(message).optional(),
    error: z.object({ code: text, message: text }).optional(),
    usage: z.looseObject({ ...counts, turns: z.array(z.looseObject(counts)) }).optional(),
    budget: z
      .looseObject({ maxOutputTokens: count.optional(), maxCost: count.optional() })
      .optional(),
    cost: count.optional(),
    costBound: z.enum(['at-most', 'about']).optional(),
    currency: text.max(8).optional(),
    logprobs: z.array(z.looseObject({ token: text, logprob: z.number() })).optional(),
    latencyMs: count.optional(),
    firstTokenMs: count.optional(),
    waitedMs: count.optional(),
  }),
  events: z
    .array(numbered.and(event).and(request))
    .refine(
      (events) => events.every(({ seq }, index) => seq === index + 1),
      'must be numbered from 1 without gaps',
    ),
  exchanges: z.array(
    z.looseObject({
      method: text,
      url: z.url(),
      requestHeaders: texts,
      requestBody: text,
      responseHeaders: texts.optional(),
      responseBody: text.optional(),
      error: text.optional(),
    }),
  ),
  cassette: z.unknown(),
})

/** A run with all that was recorded of it. */
export interface RunFile {
  readonly run: RunRecord
  readonly events: readonly StudioEvent[]
  readonly exchanges: readonly Exchange[]
  readonly cassette: unknown
}

/** The file of a run, which has these events. */
export async function toRunFile(
  store: StudioStore,
  run: RunRecord,
  events: readonly StudioEvent[],
): Promise<unknown> {
  const { id } = run
  const exchanges = await store.exchanges(id)
  return {
    modelport: 'run',
    version: 1,
    run,
    events,
    exchanges,
    cassette: (await store.cassette(id)) ?? null,
  }
}

/**
 * Keeps the run of a file as a new one. It is not tied to runs that the file does not have, and
 * cannot be continued.
 */
export async function importRun(store: StudioStore, file: RunFile): Promise<RunRecord> {
  const {
    from: _from,
    parent: _parent,
    canContinue: _can,
    elsewhere: _else,
    notKept: _kept,
    offTheRecord: _off,
    ...rest
  } = file.run
  const run: RunRecord = { ...rest, id: `run-${crypto.randomUUID()}` }
  await store.save({ ...run, status: 'running' })
  await store.append(
    run.id,
    file.events.map((event) => (event.type === 'end' ? { ...event, run } : event)),
  )
  await store.save(run)
  await store.keepExchanges(run.id, file.exchanges, file.cassette ?? undefined)
  return run
}
