import { expect, test } from 'vitest'
import { aboutChanges, requestChanges } from '../src/page/run/request-diff.js'
import type { Exchange } from '../src/protocol/protocol.js'

const sent = (body: unknown): Exchange => ({
  method: 'POST',
  url: 'https://vendor.example/v1/chat',
  requestHeaders: {},
  requestBody: typeof body === 'string' ? body : JSON.stringify(body),
})

test('two requests differ by the fields that are not the conversation', () => {
  const one = sent({ model: 'm', messages: [1], temperature: 0.2, tool_choice: 'auto' })
  const other = sent({ model: 'm', messages: [1, 2], temperature: 0.7, tools: [{ name: 'a' }] })
  expect(requestChanges(one, other)).toEqual([
    { name: 'temperature', before: '0.2', after: '0.7' },
    { name: 'tool_choice', before: '"auto"' },
    { name: 'tools', after: '[{"name":"a"}]' },
  ])
  expect(requestChanges(other, other)).toEqual([])
})

test('a request whose body is not a JSON object has no fields', () => {
  expect(requestChanges(sent('a=b'), sent('[1]'))).toEqual([])
})

test('the difference between two calls names the option, the tool or the system prompt that changed', () => {
  const tool = (name: string, description: string) => ({ name, description, parameters: {} })
  const before = {
    model: 'm',
    system: 'Be brief.',
    tools: [tool('look', 'Looks.'), tool('pay', 'Pays.')],
    options: { temperature: 0, seed: 1 },
  }
  const after = {
    model: 'm',
    tools: [tool('look', 'Looks!')],
    options: { temperature: 1, seed: 1 },
  }
  expect(aboutChanges(before, after).map(({ name, after: now }) => [name, now])).toEqual([
    ['system', undefined],
    ['temperature', '1'],
    ['tool look', JSON.stringify(tool('look', 'Looks!'))],
    ['tool pay', undefined],
  ])
})
