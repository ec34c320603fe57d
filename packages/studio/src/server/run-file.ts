import { z } from 'zod'
import type { Exchange, RunRecord, StudioEvent } from '../protocol/protocol.js'
import type { StudioStore } from '../store/studio-store.js'
import { wrongField } from './ingest-forms.js'

const text = z.string()
const source = z.looseObject({ type: text, url: text.optional(), id: text.optional(), data: text.optional() })
const part = z.union([
  z.looseObject({ type: z.literal('text'), text }),
  z.looseObject({ type: z.enum(['image', 'audio', 'file']), source }),
])
const message = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  ...{ content: z.union([text, z.array(part)]), reasoning: text.optional(), toolCallId: text.optional() },
  toolCalls: z.array(z.looseObject({ id: text, name: text, argumentsText: text })).optional(),
})
const count = z.number().min(0)
const counts = { inputTokens: count, outputTokens: count, cacheReadTokens: count }
const texts = z.record(z.string(), z.string())
const settings = z.looseObject({
  ...{ tools: z.array(text).optional(), without: z.array(text).optional() },
  options: z.looseObject({ system: text.nullish() }).optional(),
})
const token = z.looseObject({ token: text, logprob: z.number() })
const runEvent = z.looseObject({ type: text }).superRefine((event, context) => {
  const wrong = wrongField(event)
  if (wrong !== undefined) context.addIssue({ code: 'custom', path: [wrong], message: 'has not the form of an event' })
})
const agentEvents = [
  z.looseObject({ type: z.literal('text-delta'), text }),
  z.looseObject({ type: z.literal('artifact'), artifact: z.looseObject({ id: text, kind: text }) }),
  z.looseObject({ type: z.literal('progress'), message: text.optional() }),
  z.looseObject({ type: z.enum(['task', 'status']) }),
] as const
const numbered = { seq: z.number().int(), at: z.number() }
const question = z.looseObject({ message: text, from: text.optional(), url: text.optional(), digest: text })
const event = z.discriminatedUnion('type', [
  z.looseObject({ ...numbered, type: z.literal('run'), event: runEvent }),
  z.looseObject({ ...numbered, type: z.literal('agent'), event: z.discriminatedUnion('type', agentEvents) }),
  z.looseObject({ ...numbered, type: z.literal('approval'), callId: text, tool: text, question: question.optional() }),
  z.looseObject({ ...numbered, type: z.literal('decision'), callId: text, reason: text.optional() }),
  z.looseObject({ ...numbered, type: z.literal('note'), text }),
  z.looseObject({ ...numbered, type: z.enum(['end', 'continued']) }),
])

/** What a file with one run must have for the page to show it; the rest is kept as it is. */
export const runFile: z.ZodType<object> = z.object({
  modelport: z.literal('run', 'must be "run"'),
  version: z.literal(1),
  run: z.looseObject({
    at: z.number().int().min(0).max(8.64e12),
    ...{ model: text, title: text, program: text.optional(), settings: settings.optional() },
    status: z.enum(['final', 'limit', 'budget', 'suspended', 'cancelled', 'failed']),
    messages: z.array(message),
    transcript: z.array(message).optional(),
    error: z.object({ code: text, message: text }).optional(),
    usage: z.looseObject({ ...counts, turns: z.array(z.looseObject(counts)) }).optional(),
    budget: z.looseObject({ maxOutputTokens: count.optional(), maxCost: count.optional() }).optional(),
    ...{ cost: count.optional(), currency: text.max(8).optional(), logprobs: z.array(token).optional() },
    ...{ latencyMs: count.optional(), firstTokenMs: count.optional(), waitedMs: count.optional() },
  }),
  events: z
    .array(event)
    .refine((events) => events.every(({ seq }, index) => seq === index + 1), 'must be numbered from 1 without gaps'),
  exchanges: z.array(
    z.looseObject({
      ...{ method: text, url: z.url(), requestHeaders: texts, requestBody: text },
      ...{ responseHeaders: texts.optional(), responseBody: text.optional(), error: text.optional() },
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
export async function toRunFile(store: StudioStore, run: RunRecord, events: readonly StudioEvent[]): Promise<unknown> {
  const { id } = run
  const exchanges = await store.exchanges(id)
  return { modelport: 'run', version: 1, run, events, exchanges, cassette: (await store.cassette(id)) ?? null }
}

/** Keeps the run of a file as a new one. It is not tied to runs that the file does not have, and cannot be continued. */
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
