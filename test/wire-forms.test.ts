import type { Provider } from '@modelport/core'
import type { Fetch } from '@modelport/driver'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createGoogle } from '@modelport/provider-google'
import { createOllama } from '@modelport/provider-ollama'
import { createOpenAI } from '@modelport/provider-openai'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { describe, expect, test } from 'vitest'
import { type CorpusCase, corpusCases, corpusFetch, decodeCase } from './support/corpus.js'
import {
  everyObject,
  everyValue,
  isStream,
  type SseEvent,
  withEvents,
} from './support/wire-forms.js'

const apiKey = 'sk-ant-recorded-0123456789'
const apis: Readonly<Record<string, (model: string, fetch: Fetch) => Provider>> = {
  'anthropic-messages': (model, fetch) => createAnthropic({ apiKey, model, fetch }),
  'openai-chat': (model, fetch) =>
    createOpenAICompatible({
      baseUrl: 'http://corpus.test',
      model,
      fetch,
      // For the exchanges with a router that are among them.
      quirks: { finishReasonOptional: true },
    }),
  'openai-responses': (model, fetch) => createOpenAI({ apiKey, model, api: 'responses', fetch }),
  gemini: (model, fetch) => createGoogle({ apiKey, model, fetch }),
  'ollama-chat': (model, fetch) => createOllama({ model, fetch }),
}

type Form = (recorded: CorpusCase) => string | undefined

/** Fields that any object of a protocol may get, and that no decoder knows. */
const unknown = {
  new_field: { type: 'new', text: 'no', index: 7 },
  new_list: [{ type: 'new', text: 'no' }],
}

const unknownEvents: Readonly<Record<string, readonly SseEvent[]>> = {
  'anthropic-messages': [
    { event: 'ping', data: '{"type":"ping"}' },
    { event: 'new', data: '{"type":"new","index":0,"delta":{"type":"text_delta","text":"no"}}' },
  ],
  'openai-chat': [
    { data: '{"object":"new","choices":[]}' },
    {
      data: '{"choices":[{"index":0,"delta":{"content":"","tool_calls":null},"finish_reason":""}],"usage":null}',
    },
  ],
  'openai-responses': [
    { data: '{"type":"keepalive"}' },
    { data: '{"type":"response.new.delta","output_index":0,"delta":"no"}' },
  ],
  gemini: [
    { data: '{}' },
    { data: '{"candidates":[{"content":{"parts":[{"newPart":{"text":"no"}}]}}]}' },
  ],
}

const rewrite = (object: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries<unknown>({ ...unknown, ...object })
      .filter(([, inner]) => inner !== null)
      .reverse(),
  )
const escape = (text: string) =>
  text.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Ways to say the same, by what a protocol, JSON or the standard of server-sent events allows. */
const forms: Readonly<Record<string, Form>> = {
  'fields that nobody knows, no nulls, keys in reverse order, escapes, several lines of data':
    everyValue((value) => escape(JSON.stringify(everyObject(value, rewrite), null, 1))),
  'a mark, CRLF, comments, ids, no spaces': ({ response: { body } }) =>
    `\ufeff${body
      .replace(/\r\n?/g, '\n')
      .replace(/^data: ?/gm, ': note\nid: 1\nretry: 2\ndata:')
      .replace(/\n/g, '\r\n')}`,
  'events without a name': withEvents((events) =>
    events.some(({ event }) => event === 'error')
      ? undefined
      : events.map(({ data }) => ({ data })),
  ),
  'events and parts that nobody knows, events of nothing, [DONE] where it is not usual': withEvents(
    (events, { api }) => [
      ...events.flatMap((event) => [{ data: '' }, ...(unknownEvents[api] ?? []), event]),
      ...(api === 'openai-chat' ? [] : [{ data: '[DONE]' }]),
    ],
  ),
}

describe('what a wire says, however it says it', () => {
  test.each(Object.keys(apis))('what the wire of %s says is read in every form', async (api) => {
    const cases = corpusCases(api, { core: true }).filter(
      ({ strict, expected }) => strict && expected.finishReason !== 'pause',
    )
    const decode = (recorded: CorpusCase, body: string) => {
      const changed = { ...recorded, response: { ...recorded.response, body } }
      return decodeCase(
        changed,
        (apis[api] as (typeof apis)[string])(
          recorded.request.body.model ?? 'recorded',
          corpusFetch(changed, 'whole'),
        ),
      )
    }
    const differ: string[] = []
    let changed = 0
    for (const recorded of cases) {
      const plain = JSON.stringify(await decode(recorded, recorded.response.body))
      for (const [name, form] of Object.entries(forms)) {
        const body = form(recorded)
        if (body === undefined || (!isStream(recorded) && body === recorded.response.body)) continue
        changed++
        if (JSON.stringify(await decode(recorded, body)) !== plain)
          differ.push(`${recorded.id}: ${name}`)
      }
    }
    expect(changed).toBeGreaterThan(cases.length)
    expect(differ).toEqual([])
  })
})
