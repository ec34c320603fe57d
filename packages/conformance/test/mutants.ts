import type { Harness } from '@modelport/conformance'
import {
  type CallOptions,
  type Provider,
  type StreamEvent,
  type ToolStreamReader,
  textOf,
} from '@modelport/core'
import { type Decoder, toProviderError } from '@modelport/driver'
import { changed, configured, driven, reading, sent, sunk, wrapped } from './breaking.js'
import { apiKey, providerOf, reference, referenceDriver } from './reference-driver.js'

const everyOther = <T>(list: readonly T[]): T[] => list.filter((_, index) => index % 2 === 0)

/** Emits one more event before `done`. */
function withExtra(
  reader: ToolStreamReader,
  extra: (event: StreamEvent) => StreamEvent | undefined,
): Partial<ToolStreamReader> {
  const held: StreamEvent[] = []
  return {
    next: async () => {
      const waiting = held.shift()
      if (waiting) return { done: false, value: waiting }
      const result = await reader.next()
      const more = result.done ? undefined : extra(result.value)
      if (more) held.push(more)
      return result
    },
  }
}

/** Emits `tool-call-complete` for an open call before the stream fails. */
function completingCutCalls(reader: ToolStreamReader): Partial<ToolStreamReader> {
  let open: { readonly id: string; readonly name: string } | undefined
  return {
    next: async () => {
      try {
        const result = await reader.next()
        if (result.value?.type === 'tool-call-start') open = result.value.toolCall
        if (result.value?.type === 'tool-call-complete') open = undefined
        return result
      } catch (error) {
        if (!open) throw error
        const toolCall = { ...open, arguments: {}, argumentsText: '' }
        open = undefined
        return { done: false, value: { type: 'tool-call-complete', toolCall } }
      }
    },
  }
}

/** Providers that break one rule each: the rule, and the provider. */
export const mutants: Readonly<Record<string, readonly [rule: string, harness: Harness]>> = {
  'drops the second call': [
    'L1',
    sunk((sink) => ({
      toolCall: (key, piece) => {
        if (key !== 1) sink.toolCall(key, piece)
      },
    })),
  ],
  'drops every other piece of text': [
    'L1',
    sunk((sink) => {
      let count = 0
      return {
        text: (text) => {
          if (text && count++ % 2 === 0) sink.text(text)
        },
      }
    }),
  ],
  'counts usage twice': [
    'L1',
    sunk((sink) => ({
      usage: (counts) => sink.usage({ ...counts, inputTokens: 2 * (counts.inputTokens ?? 0) }),
    })),
  ],
  'tells reasoning as text': ['L1', sunk((sink) => ({ reasoning: (text) => sink.text(text) }))],
  'loses the cache counts of whole replies': [
    'L2',
    driven((driver) => ({
      decoder: (sink, turn) =>
        driver.decoder(
          turn.stream
            ? sink
            : changed(sink, { usage: ({ cacheReadTokens: _, ...counts }) => sink.usage(counts) }),
          turn,
        ),
    })),
  ],
  'gives empty pieces of text': [
    'L3',
    wrapped((provider) => ({
      stream: async (...parameters) => {
        const reader = await provider.stream(...parameters)
        let first = true
        return changed(reader, {
          next: () => {
            if (!first) return reader.next()
            first = false
            return Promise.resolve({ done: false as const, value: '' })
          },
        })
      },
    })),
  ],
  'reports every end as a clean one': [
    'S1',
    driven((driver) => ({
      decoder: (sink, turn): Decoder => ({
        ...driver.decoder(sink, turn),
        end: () => sink.finish('stop'),
      }),
    })),
  ],
  'takes the end of the body for the end of the reply': [
    'R2',
    driven((driver) => ({
      decoder: (sink, turn): Decoder => ({
        ...driver.decoder(sink, turn),
        end: () => sink.terminal(),
      }),
    })),
  ],
  'drops what comes with the finish reason and after it': [
    'D3',
    sunk((sink) => {
      let over = false
      return {
        finish: (...parameters) => {
          over = true
          sink.finish(...parameters)
        },
        usage: (counts) => {
          if (!over) sink.usage(counts)
        },
      }
    }),
  ],
  'orders parallel calls from the last to the first': [
    'D4',
    sunk((sink) => ({ toolCall: (key, piece) => sink.toolCall(100 - Number(key), piece) })),
  ],
  'replays the assistant turn without its calls': [
    'D1',
    sent((body) => ({
      ...body,
      messages: body.messages
        .filter(({ role }) => role !== 'tool')
        .map(({ tool_calls: _, ...message }) => ({
          ...message,
          content: message['content'] ?? '',
        })),
    })),
  ],
  'replays the text of the turns before': [
    'D2',
    sent((body) => {
      let text = ''
      return {
        ...body,
        messages: body.messages.map((message) =>
          message['role'] === 'assistant'
            ? { ...message, content: (text += String(message['content'])) }
            : message,
        ),
      }
    }),
  ],
  'ignores setTools': ['D6', reading(() => ({ setTools: () => undefined }))],
  'loses the mark of error results': [
    'D7',
    driven((driver) => ({
      request: (turn) =>
        driver.request({
          ...turn,
          messages: turn.messages.map((message) =>
            message.role === 'tool' ? { ...message, isError: false } : message,
          ),
        }),
    })),
  ],
  'drops system messages': [
    'D7',
    sent((body) => ({
      ...body,
      messages: body.messages.filter(({ role }, index) => role !== 'system' || index === 0),
    })),
  ],
  'cannot send temperature 0': [
    'D8',
    sent(({ temperature, ...body }) => (temperature ? { ...body, temperature } : body)),
  ],
  'completes a call that was cut': ['S1', reading(completingCutCalls)],
  'ends twice': [
    'D10',
    reading((reader) => withExtra(reader, (event) => (event.type === 'done' ? event : undefined))),
  ],
  'wraps malformed arguments': [
    'D11',
    driven((driver) => ({
      decoder: (sink, turn) => {
        const texts = new Map<number | string, string>()
        const inner = driver.decoder(
          changed(sink, {
            toolCall: (key, piece) => {
              texts.set(key, (texts.get(key) ?? '') + (piece.text ?? ''))
              sink.toolCall(key, { ...piece, text: undefined })
            },
          }),
          turn,
        )
        return {
          ...inner,
          end: () => {
            for (const [key, text] of texts)
              sink.toolCall(key, { text: isObject(text) ? text : JSON.stringify({ raw: text }) })
          },
        }
      },
    })),
  ],
  'skips records it cannot read': [
    'D11',
    driven((driver) => ({
      decoder: (sink, turn) => {
        const inner = driver.decoder(sink, turn)
        return {
          push: (record) => {
            if (record.data === '[DONE]' || isObject(record.data)) inner.push(record)
          },
        }
      },
    })),
  ],
  'fails at sendToolResults': [
    'D12',
    reading(() => ({ sendToolResults: () => Promise.reject(new Error('not supported')) })),
  ],
  'asks whole answers another way': [
    'D13',
    driven((driver) => ({
      request: (turn) =>
        driver.request(
          turn.stream ? turn : { ...turn, options: { ...turn.options, temperature: 1 } },
        ),
    })),
  ],
  'has no model for cheap questions': ['L4', wrapped(() => ({ cheapestModel: '' }))],
  'takes only the first call of a chunk': [
    'D5',
    driven((driver) => ({
      decoder: (sink, turn) => {
        const inner = driver.decoder(sink, turn)
        let bytes = 0
        return {
          push: (record) => {
            if (
              (bytes += record.data.length) < 700 ||
              record.data === '[DONE]' ||
              /"finish_reason":"|"usage":\{/.test(record.data)
            )
              inner.push(record)
          },
        }
      },
    })),
  ],
  'takes a reason it does not know for stop': [
    'D9',
    sunk((sink) => ({
      finish: (reason, raw) => sink.finish(reason === 'other' ? 'stop' : reason, raw),
    })),
  ],
  'takes a reset for the end of the reply': [
    'S2',
    driven((driver) => ({
      send: async (body, io) => {
        const response = await driver.send(body, io)
        const source = response.body?.getReader()
        const pull = (
          controller: ReadableStreamDefaultController<Uint8Array>,
        ): Promise<void> | undefined =>
          source?.read().then(
            ({ done, value }) => (done ? controller.close() : controller.enqueue(value)),
            () => controller.close(),
          )
        return source
          ? new Response(
              new ReadableStream({ pull, cancel: () => source.cancel() }, { highWaterMark: 0 }),
              response,
            )
          : response
      },
      decoder: (sink, turn): Decoder => ({
        ...driver.decoder(sink, turn),
        end: () => sink.finish('stop'),
      }),
    })),
  ],
  'starts over after the end': [
    'R1',
    reading((reader) => {
      let ended = false
      return {
        next: async () => {
          if (ended) return { done: false, value: { type: 'text-delta', text: 'again' } }
          const result = await reader.next()
          ended = result.done === true
          return result
        },
      }
    }),
  ],
  'takes a failure for an end at the second read': [
    'R3',
    reading((reader) => {
      let failed = false
      return {
        next: async () => {
          if (failed) return { done: true, value: undefined }
          try {
            return await reader.next()
          } catch (error) {
            failed = true
            throw error
          }
        },
      }
    }),
  ],
  'does not close': ['R4', reading(() => ({ close: () => Promise.resolve() }))],
  'does not close at break': [
    'R5',
    reading(() => ({ return: () => Promise.resolve({ done: true, value: undefined }) })),
  ],
  'ignores abort': [
    'R6',
    wrapped((provider) => {
      const deaf = ({ signal: _, ...options }: CallOptions = {}): CallOptions => options
      return {
        streamWithTools: (messages, tools, ...options) =>
          provider.streamWithTools(messages, tools, ...options.map(deaf)),
      }
    }),
  ],
  'wraps the abort reason': [
    'S5',
    wrapped((provider) => ({
      complete: (...parameters) =>
        provider
          .complete(...parameters)
          .catch((error: unknown) => Promise.reject(new Error('aborted', { cause: error }))),
    })),
  ],
  'reads ahead': [
    'R7',
    reading((reader) => {
      const held: Promise<IteratorResult<StreamEvent, undefined>>[] = []
      return {
        next: () => {
          while (held.length < 9) held.push(reader.next())
          return held.shift() ?? reader.next()
        },
      }
    }),
  ],
  'serves overlapping reads from the last to the first': [
    'R8',
    reading((reader) => {
      const waiting: (() => void)[] = []
      return {
        next: () =>
          new Promise((resolve, reject) => {
            waiting.unshift(() => void reader.next().then(resolve, reject))
            if (waiting.length === 1)
              setTimeout(() => waiting.splice(0).forEach((serve) => serve()), 0)
          }),
      }
    }),
  ],
  'has no details of a stream': [
    'L3',
    wrapped((provider) => ({
      stream: async (...parameters) =>
        changed(await provider.stream(...parameters), { details: () => ({}) }),
    })),
  ],
  'forgets the text of earlier turns': [
    'R9',
    reading((reader) => ({ fullText: () => reader.fullText().split('. ').at(-1) ?? '' })),
  ],
  'takes any id for a result': [
    'R10',
    reading((reader) => ({
      sendToolResults: (results) => reader.sendToolResults(results).catch(() => undefined),
    })),
  ],
  'reads the whole reply at once': [
    'S7',
    reading((reader) => {
      let all: StreamEvent[] | undefined
      return {
        next: async () => {
          if (!all) {
            all = []
            for await (const event of reader) all.push(event)
          }
          const value = all.shift()
          return value ? { done: false, value } : { done: true, value: undefined }
        },
      }
    }),
  ],
  'knows one kind of line end only': [
    'S8',
    driven((driver) => ({
      send: async (body, io) => {
        const response = await driver.send(body, io)
        const text = response.body?.pipeThrough(new TextDecoderStream()).pipeThrough(
          new TransformStream<string, string>({
            transform: (chunk, controller) => controller.enqueue(chunk.replaceAll('\r', '?')),
          }),
        )
        return text ? new Response(text.pipeThrough(new TextEncoderStream()), response) : response
      },
    })),
  ],
  'has no limits': ['S10', configured(({ limits: _, ...config }) => reference.create(config))],
  'keeps listening to the signal': [
    'S12',
    wrapped((provider) => ({
      complete: (prompt, options = {}) => {
        options.signal?.addEventListener('abort', () => undefined)
        return provider.complete(prompt, options)
      },
    })),
  ],
  'takes failures inside a reply for its end': [
    'S6',
    sunk((sink) => ({
      fail: (): never => {
        sink.finish('stop')
        throw new DOMException('', 'AbortError')
      },
    })),
  ],
  'splits by chunks': [
    'S3',
    driven((driver) => ({
      send: async (body, io) => {
        const response = await driver.send(body, io)
        const each = new TransformStream<Uint8Array, Uint8Array>({
          transform: (chunk, controller) => {
            if (chunk.length > 3) controller.enqueue(chunk)
          },
        })
        return response.body ? new Response(response.body.pipeThrough(each), response) : response
      },
    })),
  ],
  'sends everything twice': [
    'F2',
    driven((driver) => ({
      send: async (body, io) => {
        await (await driver.send(body, io)).text()
        return driver.send(body, io)
      },
    })),
  ],
  'gives every failure one code': [
    'F1',
    driven((driver) => ({
      error: (failure) => Object.assign(driver.error(failure), { code: 'unknown' }),
    })),
  ],
  "leaves the server's text out of its errors": [
    'F1',
    driven(({ name }) => ({
      error: (failure) => toProviderError(name, failure, { message: 'it failed' }),
    })),
  ],
  'never tries again': [
    'F3',
    wrapped((provider) => ({
      complete: (prompt, ...options) =>
        provider.complete(prompt, ...options, { retry: { attempts: 1 } }),
    })),
  ],
  'asks again although the reply had begun': [
    'F4',
    wrapped((provider) => ({
      streamWithTools: async (...parameters) => {
        let reader = await provider.streamWithTools(...parameters)
        const next = (): Promise<IteratorResult<StreamEvent, undefined>> =>
          reader.next().catch(async () => {
            reader = await provider.streamWithTools(...parameters)
            return reader.next()
          })
        return changed(reader, { next, fullText: () => reader.fullText() })
      },
    })),
  ],
  'ignores Retry-After': [
    'F5',
    driven((driver) => ({
      error: (failure) => {
        const error = driver.error(failure)
        return Object.assign(error, { retryAfterMs: undefined })
      },
    })),
  ],
  'waits for headers for ever': [
    'F7',
    configured(({ timeouts: _, ...config }) => reference.create(config)),
  ],
  'tries again what the server forbids': [
    'F3',
    driven((driver) => ({
      error: (failure) => driver.error({ ...failure, headers: new Headers() }),
    })),
  ],
  'ignores the deadline': [
    'F6',
    wrapped((provider) => ({
      streamWithTools: (messages, tools, ...options) =>
        provider.streamWithTools(
          messages,
          tools,
          ...options.map(({ deadlineMs: _, ...rest }) => rest),
        ),
    })),
  ],
  'has no idle clock': [
    'S4',
    configured((config) =>
      reference.create({ ...config, timeouts: { idleMs: 1e9, semanticIdleMs: 1e9 } }),
    ),
  ],
  'follows redirects': [
    'K4',
    configured((config) => {
      const driver = referenceDriver(apiKey)
      return providerOf(
        {
          ...driver,
          send: (body, io) =>
            driver.send(body, {
              ...io,
              fetch: async (input, init) => {
                const { body: stream, headers } = await config.fetch(input, {
                  ...init,
                  redirect: 'follow',
                })
                return new Response(stream, { headers })
              },
            }),
        },
        config,
      )
    }),
  ],
  'shows the key': [
    'K1',
    wrapped((provider) => ({
      complete: (...parameters) =>
        provider.complete(...parameters).catch((error: unknown) => {
          throw Object.assign(error as Error, {
            request: { headers: { authorization: `Bearer ${apiKey}` } },
          })
        }),
    })),
  ],
  'shows the key in base64 only': [
    'K1',
    wrapped((provider) => ({
      complete: (...parameters) =>
        provider.complete(...parameters).catch((error: unknown) => {
          throw Object.defineProperty(error as Error, 'hidden', { value: btoa(apiKey) })
        }),
    })),
  ],
  'keeps the key on the provider': ['K2', wrapped(() => ({ apiKey }) as Partial<Provider>)],
  'sends to any host': [
    'E1',
    configured(({ enforceHosts: _, ...config }) => reference.create(config)),
  ],
  'gives results to the wrong calls': [
    'Q1',
    sent((body) => ({
      ...body,
      messages: body.messages.map((message) =>
        message['role'] === 'tool' ? { ...message, tool_call_id: 'call_other' } : message,
      ),
    })),
  ],
  'sends long ids as they are': [
    'Q1',
    driven((driver) => ({
      request: (turn) => ({
        ...driver.request(turn),
        messages: driver.request(turn).messages.map((message, index) => {
          const original = turn.messages[index]
          return original?.role === 'tool'
            ? { ...message, tool_call_id: original.toolCallId }
            : message
        }),
      }),
    })),
  ],
  'drops the options it does not know': [
    'Q2',
    driven((driver) => ({
      request: (turn) =>
        driver.request({
          ...turn,
          options: {
            ...(turn.options.maxTokens !== undefined && { maxTokens: turn.options.maxTokens }),
            ...(turn.options.temperature !== undefined && {
              temperature: turn.options.temperature,
            }),
          },
        }),
    })),
  ],
  'drops parts that are not text': [
    'Q2',
    driven((driver) => ({
      request: (turn) =>
        driver.request({
          ...turn,
          messages: turn.messages.map((message) => ({
            ...message,
            content: textOf(message.content),
          })),
        }),
    })),
  ],
  'drops the vendor option': ['Q2', sent(({ modelport_probe: _, ...body }) => body)],
  'sends null for what is not set': [
    'Q2',
    sent((body) => ({ ...body, top_p: body['top_p'] ?? null })),
  ],
  'does not check its input': [
    'Q3',
    wrapped((provider) => ({ complete: (prompt) => provider.complete(prompt) })),
  ],
  'keeps only the first level of a schema': [
    'Q4',
    driven((driver) => ({
      request: (turn) =>
        driver.request({
          ...turn,
          tools: turn.tools.map((tool) => ({
            ...tool,
            parameters: {
              type: 'object',
              properties: Object.fromEntries(
                everyOther(Object.keys(tool.parameters ?? {})).map((key) => [key, {}]),
              ),
            },
          })),
        }),
    })),
  ],
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
