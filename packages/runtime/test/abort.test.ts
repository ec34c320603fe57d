import {
  createMemoryServer,
  openaiChat,
  type ScriptTurn,
  toReply,
  VirtualClock,
  type WireFormat,
} from '@modelport/conformance'
import { type ChatMessage, fromJson, type Provider, toJson } from '@modelport/core'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createGoogle } from '@modelport/provider-google'
import { createOllama } from '@modelport/provider-ollama'
import { createOpenAI } from '@modelport/provider-openai'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { defineTool, executeBatch, infer, type Tool, Transcript } from '@modelport/runtime'
import { anthropicMessages, gemini, ollamaChat, openaiResponses } from '@modelport/test-formats'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

type Fetch = ReturnType<typeof createMemoryServer>['fetch']
interface Vendor {
  readonly name: string
  readonly format: WireFormat
  create(fetch: Fetch): Provider
}
const apiKey = 'abort-key-0123456789'
const vendors: readonly Vendor[] = [
  {
    name: 'anthropic',
    format: anthropicMessages,
    create: (fetch) => createAnthropic({ model: 'claude-sonnet-4-5', apiKey, fetch }),
  },
  {
    name: 'openai responses',
    format: openaiResponses,
    create: (fetch) => createOpenAI({ model: 'gpt-5.4', apiKey, fetch }),
  },
  {
    name: 'openai chat',
    format: openaiChat,
    create: (fetch) => createOpenAI({ model: 'gpt-4.1', apiKey, api: 'chat', fetch }),
  },
  {
    name: 'google',
    format: gemini,
    create: (fetch) => createGoogle({ model: 'gemini-3-flash-preview', apiKey, fetch }),
  },
  {
    name: 'ollama',
    format: ollamaChat,
    create: (fetch) => createOllama({ model: 'llama3', fetch }),
  },
  {
    name: 'compatible',
    format: openaiChat,
    create: (fetch) =>
      createOpenAICompatible({
        model: 'm',
        apiKey,
        baseUrl: 'https://compatible.example/v1',
        fetch,
      }),
  },
]

/** Five calls of five kinds: at once, slow, with slow checks, alone, failing. */
const names = ['quick', 'slow', 'checked', 'alone', 'failing'] as const
const asks: ScriptTurn = {
  reasoning: ['Five things.'],
  text: ['On it.'],
  toolCalls: names.map((name) => ({ id: `call_${name}`, name, arguments: { of: name } })),
  finish: 'tool-calls',
  usage: { inputTokens: 20, outputTokens: 10 },
}
const answers: ScriptTurn = {
  text: ['All ', 'done.'],
  finish: 'stop',
  usage: { inputTokens: 40, outputTokens: 2 },
}

const hops = async (count: number): Promise<void> => {
  for (let hop = 0; hop < count; hop++) await Promise.resolve()
}

/**
 * The tools, and what they did: `done` holds a name from the moment its tool has nothing left to
 * do.
 */
function workshop() {
  const done: string[] = []
  const started: string[] = []
  const work =
    (name: string, before: number): Tool['execute'] =>
    async () => {
      started.push(name)
      await hops(before)
      done.push(name)
      return { result: name }
    }
  const parameters = z.object({ of: z.string() })
  const slowly = z.object({ of: z.string().refine(async () => (await hops(3), true)) })
  const tools: readonly Tool[] = [
    defineTool({
      name: 'quick',
      description: 'Quick',
      parameters,
      execute: () => (started.push('quick'), done.push('quick'), { result: 'quick' }),
    }),
    defineTool({ name: 'slow', description: 'Slow', parameters, execute: work('slow', 9) }),
    defineTool({
      name: 'checked',
      description: 'Checked',
      parameters: slowly,
      execute: work('checked', 2),
    }),
    defineTool({
      name: 'alone',
      description: 'Alone',
      parameters,
      exclusive: true,
      execute: work('alone', 4),
    }),
    defineTool({
      name: 'failing',
      description: 'Failing',
      parameters,
      execute: async (args, context) => {
        await work('failing', 3)(args, context)
        throw new Error('failing result')
      },
    }),
  ]
  return { tools, done, started }
}

function connect(vendor: Vendor, ...turns: readonly ScriptTurn[]) {
  const violations: string[] = []
  const server = createMemoryServer(
    () => (request, index) => {
      violations.push(...vendor.format.violations(request))
      return toReply(
        vendor.format.respond(turns[Math.min(index, turns.length - 1)] as ScriptTurn, request),
      )
    },
    new VirtualClock(),
  )
  return { provider: vendor.create(server.fetch), server, violations }
}

/** The conversation of a vendor up to its five calls. */
async function begin(vendor: Vendor): Promise<readonly ChatMessage[]> {
  const { provider } = connect(vendor, asks)
  const reader = await provider.streamWithTools(
    [{ role: 'user', content: 'Do it.' }],
    workshop().tools.map(({ definition }) => definition),
  )
  for await (const event of reader) if (event.type === 'turn-end') break
  return reader.messages()
}

/** Continues the conversation; returns the tool results that the server received, in order. */
async function goOn(vendor: Vendor, messages: readonly ChatMessage[]): Promise<readonly string[]> {
  const { provider, server, violations } = connect(vendor, answers)
  const reader = await provider.streamWithTools(
    messages,
    workshop().tools.map(({ definition }) => definition),
  )
  for await (const _ of reader) {
    /* read to its end */
  }
  expect(reader.fullText()).toBe('All done.')
  expect(violations).toEqual([])
  const sent = vendor.format.read(server.requests[0] as never)
  expect(sent.messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    ...names.map(() => 'tool'),
  ])
  return sent.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []))
}

/**
 * Runs the batch and aborts after so many turns of the microtask queue: before, between and after
 * every await there is.
 */
async function abortAfter(turns: number, transcript: Transcript) {
  const { tools, done, started } = workshop()
  const controller = new AbortController()
  const reason = new Error('stop')
  let over = false
  const running = executeBatch(transcript.openCalls(), {
    tools,
    step: 1,
    concurrency: 3,
    signal: controller.signal,
    onResult: (call, result) => transcript.commit(call, result),
  }).finally(() => (over = true))
  const outcome = running.then(
    () => 'finished',
    (error: unknown) => error,
  )
  await hops(turns)
  const finished = over
  const doneAtAbort = [...done]
  const stored = JSON.stringify(toJson(transcript.messages))
  controller.abort(reason)
  expect([reason, 'finished']).toContain(await outcome)
  return { finished, doneAtAbort, started, stored }
}

const read = (stored: string): readonly ChatMessage[] => fromJson(JSON.parse(stored))
const resultOf = (messages: readonly ChatMessage[], name: string): string | undefined => {
  const found = messages.filter((message) => message.role === 'tool' && message.toolName === name)
  expect(found.length).toBeLessThanOrEqual(1)
  return found[0]?.content as string | undefined
}

describe.each(vendors.map((vendor, index) => ({ ...vendor, index })))(
  'five calls asked for by $name',
  (vendor) => {
    test('aborted at every await, the conversation continues with nothing lost', async () => {
      const messages = await begin(vendor)
      let points = 0
      for (let finished = false; !finished; points++) {
        const transcript = new Transcript(messages)
        const run = await abortAfter(points, transcript)
        finished = run.finished
        expect(transcript.openCalls()).toEqual([])
        // What was done before the abort is in the transcript, and whoever was cut short is not
        // said to have done nothing.
        for (const name of names) {
          const result = resultOf(transcript.messages, name) ?? ''
          if (run.doneAtAbort.includes(name))
            expect(result, `${name}, aborted at ${points}`).toContain(
              name === 'failing' ? 'fail' : `{"result":"${name}"}`,
            )
          else if (run.started.includes(name))
            expect(result).toMatch(/result|whether it had an effect is unknown/)
          else expect(result).toMatch(/had no effect/)
        }
        expect(new Set(run.started).size).toBe(run.started.length)
        const resumed = new Transcript(read(JSON.stringify(toJson(transcript.messages)))).sendable()
        for (const next of new Set([
          vendor,
          vendors[(vendor.index + points) % vendors.length] as Vendor,
        ])) {
          const sent = await goOn(next, resumed)
          names.forEach((name, index) => {
            for (const word of (resultOf(resumed, name) ?? '').match(/[a-z]{4,}/g) ?? [])
              expect(sent[index]).toContain(word)
          })
        }
      }
      expect(points).toBeGreaterThan(20)
    })

    test('cut off at every await, what is stored can be taken up again and no result is made twice', async () => {
      const messages = await begin(vendor)
      for (let points = 0, finished = false; !finished; points++) {
        const run = await abortAfter(points, new Transcript(messages))
        finished = run.finished
        const transcript = new Transcript(read(run.stored))
        if (transcript.openCalls().length)
          expect(() => transcript.sendable()).toThrow(/without a result/)
        const answered = names.filter((name) => resultOf(transcript.messages, name) !== undefined)
        const again = workshop()
        await executeBatch(transcript.openCalls(), {
          tools: again.tools,
          step: 1,
          onResult: (call, result) => transcript.commit(call, result),
        })
        expect([...answered, ...again.started].sort()).toEqual([...names].sort())
        if (points % vendors.length === vendor.index)
          expect(await goOn(vendor, transcript.sendable())).toHaveLength(5)
      }
    })

    test('a run that is aborted at every await of its batch ends with a conversation that can be continued', async () => {
      const outcomes = new Set<string>()
      for (let points = 0, finished = false; !finished; points++) {
        const { tools, done, started } = workshop()
        const { provider, violations } = connect(vendor, asks, answers)
        const controller = new AbortController()
        let doneAtAbort: readonly string[] = []
        let begun = false
        const result = await infer(provider, {
          query: 'Do it.',
          tools,
          signal: controller.signal,
          limits: { concurrency: 3 },
          observe: {
            onEvent: ({ type }) => {
              if (type !== 'action-requested' || begun) return
              begun = true
              void hops(points).then(() => {
                doneAtAbort = [...done]
                controller.abort(new Error('stop'))
              })
            },
          },
        })
        outcomes.add(result.status)
        // Once the batch is over, the abort hits the next call of the model.
        finished = doneAtAbort.length === names.length
        expect(['cancelled', 'final']).toContain(result.status)
        expect(violations).toEqual([])
        const resumed = new Transcript(read(JSON.stringify(toJson(result.transcript)))).sendable()
        for (const name of names) {
          const told = resultOf(resumed, name) ?? ''
          if (doneAtAbort.includes(name))
            expect(told, `${name}, aborted at ${points}`).toContain(
              name === 'failing' ? 'fail' : `{"result":"${name}"}`,
            )
          else expect(told).not.toBe('')
        }
        expect(new Set(started).size).toBe(started.length)
        if (result.status === 'cancelled')
          await goOn(vendors[(vendor.index + points) % vendors.length] as Vendor, resumed)
      }
      expect(outcomes).toContain('cancelled')
    })
  },
)
