import type { ChatMessage } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { failure, play, type Step } from './scripted-driver.js'

const whole: readonly Step[] = [['text', 'Hi'], ['terminal']]
const refusal = async (messages: unknown): Promise<string> => {
  const { provider, turns } = play([whole])
  const error = await failure(provider.generate(messages as readonly ChatMessage[]))
  expect([error.code, turns]).toEqual(['invalid-request', []])
  return error.message
}

test.each([undefined, null, 1, [{ role: 'user', content: 'Hi' }]])(
  'a prompt %j is refused before anything is sent',
  async (prompt) => {
    const { provider, turns } = play([whole])
    for (const call of [provider.complete(prompt as never), provider.stream(prompt as never)])
      expect(await failure(call)).toMatchObject({
        code: 'invalid-request',
        message: expect.stringContaining('the prompt must be text') as string,
      })
    expect(turns).toEqual([])
  },
)

describe('a message of another form names what to write', () => {
  test.each([
    ['no list', undefined, /messages must be a list/],
    ['nothing in the list', [null], /messages\[0\]: unknown role undefined/],
    [
      'no content',
      [{ role: 'user' }],
      /messages\[0\]: content must be text or a list of parts, not undefined/,
    ],
    ['the null of OpenAI', [{ role: 'assistant', content: null }], /not null; write ''/],
    [
      'an image of the AI SDK',
      [{ role: 'user', content: [{ type: 'image', image: 'x' }] }],
      /content\[0\]: .*must have a source/,
    ],
    [
      'a file of the AI SDK',
      [{ role: 'user', content: [{ type: 'file', data: 'x', mediaType: 'a/b' }] }],
      /must have a source/,
    ],
    [
      'a result of the AI SDK',
      [{ role: 'user', content: [{ type: 'tool-result' }] }],
      /write a message \{ role: 'tool'/,
    ],
    [
      'an image of OpenAI',
      [{ role: 'user', content: [{ type: 'image_url' }] }],
      /write \{ type: 'image', source/,
    ],
    [
      'a text part without text',
      [{ role: 'user', content: [{ type: 'text' }] }],
      /must have the field text/,
    ],
    [
      'a part without a type',
      [{ role: 'user', content: ['Hi'] }],
      /unknown part type undefined; use 'text'/,
    ],
  ])('a message of another form names what to write: %s', async (_, messages, said) => {
    expect(await refusal(messages)).toMatch(said)
  })
})
