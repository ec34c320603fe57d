import type { ChatMessage } from '@modelport/core'
import type { Driver, Turn } from '@modelport/driver'
import { describe, expect, test } from 'vitest'
import { buildRequest } from '../src/turn/vendor-fields.js'

const found = { url: 'https://rome.example', title: 'Rome' }
const build = (more: Partial<Turn>, takes?: Driver['takes']) => {
  const turn = {
    model: 'm',
    messages: [],
    tools: [],
    options: {},
    stream: false,
    ...more,
  }
  return buildRequest(
    { name: 'p', request: ({ messages }: Turn) => messages, ...(takes && { takes }) },
    turn,
  )
}
const user = (part: object): Partial<Turn> => ({
  messages: [{ role: 'user', content: [part] } as ChatMessage],
})
const tool = (more: object): Partial<Turn> => ({
  tools: [{ name: 't', description: 'd', ...more }],
})
const file = { type: 'file', source: { type: 'url', url: 'https://v.example/v.mp4' } }

describe('what not every API can be asked for', () => {
  test.each<[string, Partial<Turn>, NonNullable<Driver['takes']>[number], string]>([
    ['an hour of cache', { options: { cache: 'hour' } }, 'cache-hour', 'cache: "hour"'],
    [
      'a mark of the cache on a part',
      user({ type: 'text', text: 'a', cache: 'auto' }),
      'cache-marks',
      'cache of messages[0].content[0]',
    ],
    [
      'a mark of the cache on a part, of an API that marks only those',
      user({ type: 'text', text: 'a', cache: 'auto' }),
      'cache-parts',
      'cache of messages[0].content[0]',
    ],
    [
      'the detail of an image',
      user({
        type: 'image',
        source: { type: 'url', url: 'https://v.example/i.png' },
        detail: 'low',
      }),
      'details',
      'detail of messages[0].content[0]',
    ],
    [
      'a mark of the cache on a tool',
      tool({ cache: 'hour' }),
      'cache-marks',
      'cache of the tool "t"',
    ],
    ['a deferred tool', tool({ deferred: true }), 'deferred', 'deferred of the tool "t"'],
  ])(
    'what not every API can be asked for is left out with a warning: %s',
    (_, turn, takes, what) => {
      expect(build(turn).warnings).toEqual([
        `${what} has no place in a request to p, and was left out`,
      ])
      expect(build(turn, [takes]).warnings).toEqual([])
    },
  )

  test.each<[string, Partial<Turn>, NonNullable<Driver['takes']>[number], string]>([
    ['callers of a tool', tool({ callers: ['code'] }), 'callers', 'callers of the tool "t"'],
    [
      'a clip of a video',
      user({ ...file, clip: { start: 1 } }),
      'clips',
      'clip of messages[0].content[0]',
    ],
  ])('what not every API can be asked for is refused: %s', (_, turn, takes, what) => {
    expect(() => build(turn)).toThrow(`p: unsupported: ${what} has no place in this API's request`)
    expect(build(turn, [takes]).warnings).toEqual([])
  })

  test('what not every API can be asked for is written as text under its address: a search result', () => {
    const turn = user({ type: 'text', text: 'Rome is warm.', found })
    expect(build(turn).request).toMatchObject([
      { content: [{ type: 'text', text: 'Rome\nhttps://rome.example\n\nRome is warm.' }] },
    ])
    expect(build(turn, ['found']).request).toEqual(turn.messages)
  })
})

describe('the id of a file', () => {
  const at = (origin: string): Partial<Turn> =>
    user({ type: 'file', source: { type: 'file', id: 'file-1', origin } })

  test('the id of a file goes to the vendor that has it', () => {
    expect(build(at('p'), ['files']).request).toEqual(at('p').messages)
  })

  test('the id of a file is refused elsewhere, and where no request can say it', () => {
    expect(() => build(at('openai'), ['files'])).toThrow(
      'p: unsupported: messages[0].content[0]: the file "file-1" is at openai; upload it here too, or give its bytes',
    )
    expect(() => build(at('p'))).toThrow('the id of a file (messages[0].content[0])')
  })
})
