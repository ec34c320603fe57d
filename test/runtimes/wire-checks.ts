import { type LoggedRequest, openaiChat, scriptNamed, scriptTools } from '@modelport/conformance'
import { isLlmError, type Provider, type ToolStreamReader } from '@modelport/core'
import {
  createOpenAICompatible,
  createOpenAICompatibleEmbedder,
} from '@modelport/provider-openai-compatible'
import type { TestCase } from './run-tests.ts'
import { wireKey } from './wire-facts.ts'

type Logged = LoggedRequest & { readonly closedEarly: boolean }

/** Servers by name, and what they have been asked. */
export interface WireServers {
  readonly urls: Readonly<Record<string, string>>
  requests(name: string): Promise<readonly Logged[]>
}

/**
 * openai-compatible over the platform's own network: what the kit, which answers from memory,
 * cannot show of a runtime.
 */
export function wireChecks(servers: WireServers): readonly TestCase[] {
  const config = (name: string): { baseUrl: string; model: string; apiKey: string } => ({
    baseUrl: servers.urls[name] as string,
    model: 'model',
    apiKey: wireKey,
  })
  const provider = (name: string): Provider => createOpenAICompatible(config(name))
  const once = { retry: { attempts: 1 } }
  const checks: Readonly<Record<string, () => Promise<void>>> = {
    'a stream, cut into network writes of 7 bytes': async () => {
      const reader = await provider('text').stream('Hi')
      const text = (await all(reader)).join('')
      equal(text, scriptNamed('unicode').turns[0]?.text?.join(''))
      equal(
        [reader.finishReason(), reader.usage().inputTokens, reader.usage().outputTokens],
        ['stop', 21, 7],
      )
      equal(await provider('text').complete('Hi'), text)
    },
    "the platform's fetch, handed in as it is": async () => {
      equal(
        await createOpenAICompatible({ ...config('text'), fetch: globalThis.fetch }).complete('Hi'),
        scriptNamed('unicode').turns[0]?.text?.join(''),
      )
    },
    'pieces come when they are sent, not at the end': async () => {
      // This reply has no end: what is read of it is not read at the end.
      const reader = await provider('stalls').stream('Hi')
      equal(await reader.next(), { done: false, value: 'word 0 ' })
      await reader.close()
    },
    'a turn with tools': async () => {
      const reader = await provider('tools').streamWithTools(
        [{ role: 'user', content: 'Hi' }],
        scriptTools,
      )
      await answerCalls(reader)
      equal(reader.fullText(), 'Three answers.')
      const requests = await servers.requests('tools')
      equal(
        requests.flatMap((request) => openaiChat.violations(request)),
        [],
      )
      const results = openaiChat
        .read(requests[1] as Logged)
        .messages.flatMap((message) =>
          message.role === 'tool' ? [[message.callId, message.text]] : [],
        )
      equal(results, [
        ['call_a', 'result of get_weather'],
        ['call_b', 'result of get_weather'],
        ['call_c', 'result of get_time'],
      ])
    },
    'an aborted stream rejects with the reason, and its connection is closed': async () => {
      const controller = new AbortController()
      const before = (await servers.requests('stalls')).length
      const reader = await provider('stalls').stream('Hi', { signal: controller.signal })
      await reader.next()
      const reason = new Error('the user left')
      setTimeout(() => controller.abort(reason), 20)
      equal((await rejection(all(reader))) === reason, true)
      await closed(servers, before)
    },
    'a stream that its reader leaves closes its connection': async () => {
      const before = (await servers.requests('stalls')).length
      for await (const _ of await provider('stalls').stream('Hi')) break
      await closed(servers, before)
    },
    'a deadline ends a stream that stalls': async () => {
      equal(
        await code(
          provider('stalls')
            .stream('Hi', { deadlineMs: 200, ...once })
            .then(all),
        ),
        'timeout',
      )
    },
    'a refused key': async () => equal(await code(provider('refuses').complete('Hi')), 'auth'),
    'a busy server is asked again': async () => {
      equal(await provider('busy').complete('Hi'), 'Hello')
      equal((await servers.requests('busy')).length, 2)
    },
    'a web page in place of a reply': async () =>
      equal(await code(provider('page').complete('Hi')), 'protocol'),
    'a redirect is not followed': async () => {
      const error = await rejection(provider('moved').complete('Hi'))
      holds(
        isLlmError(error) && error.code === 'redirect-refused',
        `redirect-refused, not ${String(error)}`,
      )
      equal((await servers.requests('moved')).length, 1)
    },
    'a connection that is reset in the middle': async () => {
      const error = await rejection(provider('resets').stream('Hi', once).then(all))
      holds(
        isLlmError(error) && ['truncated', 'network'].includes(error.code),
        `a typed rejection, not ${String(error)}`,
      )
    },
    'a host that nobody listens on': async () => {
      equal(await code(provider('nobody').complete('Hi', once)), 'network')
    },
    'a reply held to a JSON schema': async () => {
      const schema = {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
      }
      const { text } = await provider('schema').generate([{ role: 'user', content: 'Where?' }], {
        responseFormat: { type: 'json-schema', schema },
      })
      equal(JSON.parse(text), { city: 'Oslo' })
    },
    'embeddings, in two requests, in the order of their texts': async () => {
      const { vectors, usage } = await createOpenAICompatibleEmbedder({
        ...config('embeddings'),
        batchSize: 2,
      }).embed(['a', 'bb', 'ccc'])
      equal(vectors, [
        [1, 0],
        [2, 1],
        [3, 0],
      ])
      equal(usage.inputTokens, 3)
    },
  }
  return Object.entries(checks).map(([name, body]) => ({
    title: `over the network > ${name}`,
    body,
    timeoutMs: 60_000,
  }))
}

async function answerCalls(reader: ToolStreamReader): Promise<void> {
  const calls: { id: string; name: string }[] = []
  for await (const event of reader) {
    if (event.type === 'tool-call-complete') calls.push(event.toolCall)
    if (event.type !== 'turn-end' || event.reason !== 'tool-calls') continue
    await reader.sendToolResults(
      calls.splice(0).map(({ id, name }) => ({ callId: id, content: `result of ${name}` })),
    )
  }
}

/** The server saw the nth request's connection end before its reply. */
async function closed({ requests }: WireServers, index: number): Promise<void> {
  for (let waited = 0; waited < 30_000; waited += 50) {
    if ((await requests('stalls'))[index]?.closedEarly) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`the connection of request ${index} is still open after 30 s`)
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => `no failure but ${JSON.stringify(value)}`,
    (error: unknown) => error,
  )

async function code(promise: Promise<unknown>): Promise<unknown> {
  const error = await rejection(promise)
  return isLlmError(error) ? error.code : String(error)
}

function holds(condition: boolean, what: string): void {
  if (!condition) throw new Error(what)
}

function equal(actual: unknown, expected: unknown): void {
  holds(
    JSON.stringify(actual) === JSON.stringify(expected),
    `expected ${JSON.stringify(expected)}, found ${JSON.stringify(actual)}`,
  )
}
