import type { ChatMessage } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'
import { ConversationHistory } from '../src/index.js'

const user = (content: string): ChatMessage => ({ role: 'user', content })
const roles = (history: ConversationHistory) => history.toList().map(({ role }) => role)

describe('inventory 1C: ConversationHistory', () => {
  test('a history has add_user, add_assistant, add_system, at and length', () => {
    const history = new ConversationHistory('Be brief.')
    history.addUser('Hi')
    history.addAssistant('Hello')
    history.addAssistant({
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'c', name: 'look', arguments: {}, argumentsText: '{}' }],
    })
    history.add({ role: 'tool', toolCallId: 'c', content: 'found' })
    history.addSystem('Do not repeat yourself.')
    expect(roles(history)).toEqual(['system', 'user', 'assistant', 'assistant', 'tool', 'system'])
    expect(history.length).toBe(6)
    expect(history.at(0)).toEqual({ role: 'system', content: 'Be brief.' })
    expect(history.at(1)).toEqual(user('Hi'))
    expect(history.at(-1)?.content).toBe('Do not repeat yourself.')
    expect([history.at(6), history.at(-7)]).toEqual([undefined, undefined])
    expect([...history]).toEqual(history.toList())
  })

  test('set_system changes index 0 and keeps the turns; reset_to_system forgets them', () => {
    const history = new ConversationHistory()
    expect(history.systemPrompt).toBeUndefined()
    history.addUser('Hi')
    history.setSystem('One.')
    history.setSystem('Two.')
    expect(history.toList()).toEqual([{ role: 'system', content: 'Two.' }, user('Hi')])
    expect(history.systemPrompt).toBe('Two.')
    history.resetToSystem('Three.')
    expect(history.toList()).toEqual([{ role: 'system', content: 'Three.' }])
    history.clear()
    expect(history.length).toBe(0)
  })

  test("replace keeps the object; what was taken out is the caller's own list", () => {
    const history = new ConversationHistory('S')
    const list = history.toList()
    list.push(user('not in it'))
    expect(history.length).toBe(1)
    const given = [user('a'), user('b')]
    history.replace(given)
    given.push(user('c'))
    expect(history.toList()).toEqual([user('a'), user('b')])
    history.replace(history)
    expect(history.length).toBe(2)
  })

  test('copy is a history of its own', () => {
    const history = new ConversationHistory('S')
    const copy = history.copy()
    copy.addUser('Hi')
    copy.setSystem('T')
    expect(history.toList()).toEqual([{ role: 'system', content: 'S' }])
  })

  test('truncate keeps the system prompt and the newest; below 2 is refused', () => {
    const history = ConversationHistory.fromList([
      { role: 'system', content: 'S' },
      ...['a', 'b', 'c', 'd', 'e', 'f'].map(user),
    ])
    history.truncate(3)
    expect(history.toList()).toEqual([{ role: 'system', content: 'S' }, user('e'), user('f')])
    history.truncate(9)
    expect(history.length).toBe(3)
    for (const wrong of [1, 0, -1, 2.5, Number.NaN])
      expect(() => history.truncate(wrong)).toThrow(expect.objectContaining({ code: 'config' }))
  })

  test('inventory 4.2 P13: without a system prompt truncate keeps no first message, and no result without its call', () => {
    const history = ConversationHistory.fromList([
      user('a'),
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'c', name: 'look', arguments: {}, argumentsText: '{}' }],
      },
      { role: 'tool', toolCallId: 'c', content: 'found' },
      { role: 'assistant', content: 'There.' },
      user('b'),
    ])
    history.truncate(3)
    expect(roles(history)).toEqual(['assistant', 'user'])
  })

  test("truncate treats a result that a run wrote in the user's role as a result", () => {
    const history = ConversationHistory.fromList([
      user('a'),
      { role: 'assistant', content: '{"type":"tool_call"}' },
      { role: 'user', content: '{"type":"tool_result"}', byRun: true },
      user('b'),
      user('c'),
    ])
    history.truncate(3)
    expect(history.toList()).toEqual([user('b'), user('c')])
  })

  test('inventory 4.2 P14: calls, ids, origin and parts survive JSON', () => {
    const history = ConversationHistory.fromList([
      {
        role: 'system',
        content: [
          { type: 'text', text: 'Be ' },
          { type: 'text', text: 'brief.' },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } }],
      },
      {
        role: 'assistant',
        content: 'x',
        toolCalls: [{ id: 'c', name: 'look', arguments: { a: [1] }, argumentsText: '{"a":[1]}' }],
        origin: { provider: 'p', model: 'm', state: [1] },
      },
      { role: 'tool', toolCallId: 'c', toolName: 'look', content: 'found', isError: true },
    ])
    const back = ConversationHistory.fromJson(JSON.parse(JSON.stringify(history)))
    expect(back.toList()).toEqual(history.toList())
    expect(back.systemPrompt).toBe('Be brief.')
    expect(() => ConversationHistory.fromJson({ version: 2, messages: [] })).toThrow(
      expect.objectContaining({ code: 'invalid-request' }),
    )
  })

  test('ConversationHistory does what a plain list would, 2,000 random schedules', () => {
    const step = fc.oneof(
      fc.record({
        do: fc.constantFrom('user', 'assistant', 'system'),
        text: fc.string({ maxLength: 4 }),
      }),
      fc.record({ do: fc.constantFrom('setSystem', 'reset'), text: fc.string({ maxLength: 4 }) }),
      fc.record({ do: fc.constant('truncate'), most: fc.integer({ min: 2, max: 12 }) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const history = new ConversationHistory()
        let list: ChatMessage[] = []
        for (const each of steps) {
          if ('most' in each) {
            history.truncate(each.most)
            const prompt = list[0]?.role === 'system' ? 1 : 0
            if (list.length > each.most)
              list = [...list.slice(0, prompt), ...list.slice(list.length - each.most + prompt)]
          } else if (each.do === 'setSystem') {
            history.setSystem(each.text)
            list = [
              { role: 'system', content: each.text },
              ...list.slice(list[0]?.role === 'system' ? 1 : 0),
            ]
          } else if (each.do === 'reset') {
            history.resetToSystem(each.text)
            list = [{ role: 'system', content: each.text }]
          } else {
            const message = { role: each.do, content: each.text } as ChatMessage
            history.add(message)
            list.push(message)
          }
          expect(history.length).toBe(list.length)
          expect(history.at(-1)).toEqual(list.at(-1))
        }
        expect(history.toList()).toEqual(list)
        expect(list.map((_, index) => history.at(index))).toEqual(list)
      }),
      { numRuns: 2000 },
    )
  })
})

test('across blocks of its storage it is still a list', () => {
  const history = new ConversationHistory('S')
  const list = Array.from({ length: 5000 }, (_, index) => user(String(index)))
  for (const each of list) history.add(each)
  for (const most of [4999, 4000, 3000, 2953, 1030, 1025, 1024, 2]) {
    history.truncate(most)
    expect(history.toList().slice(1)).toEqual(list.slice(list.length - most + 1))
    expect(history.at(1)).toEqual(list[list.length - most + 1])
    expect(history.at(-1)).toEqual(list.at(-1))
  }
  for (const each of list) history.add(each)
  expect(history.length).toBe(5002)
})

test('what a long history costs does not grow with its length', () => {
  const length = 500_000
  const history = ConversationHistory.fromList(Array.from({ length }, () => user('x')))
  // A list that moves its elements would move 300 thousand million of them, which takes minutes.
  for (let round = 0; round < 200_000; round++) {
    history.setSystem('S')
    history.addUser('x')
    history.truncate(length)
  }
  expect(history.length).toBe(length)
})
