import { describe, expect, test } from 'vitest'
import { chatProvider, chunk, done, generate, json, once, stream, whole } from './support.js'

const thought = { extra_content: { google: { thought: true } } }
const stop = { finish_reason: 'stop' }

describe('Gemini over Chat Completions', () => {
  test.each([
    [
      'before the first text',
      [
        chunk({ content: '<thought>Add. ', ...thought }),
        chunk({ content: 'Carry.', ...thought }),
        chunk({ content: '</thought>It is 5' }),
        chunk({ content: ' </thought>' }, stop),
      ],
      'It is 5 </thought>',
    ],
    [
      'after the last thought',
      [
        chunk({ content: '<thought>Add. ', ...thought }),
        chunk({ content: 'Carry.</thought>', ...thought }),
        chunk({ content: 'It is 5' }, stop),
      ],
      'It is 5',
    ],
    [
      'nowhere',
      [
        chunk({ content: '<thought>Add. ', ...thought }),
        chunk({ content: 'Carry.', ...thought }),
        chunk({ content: 'It is 5' }, stop),
      ],
      'It is 5',
    ],
  ])(
    'Gemini over Chat Completions streams marked content as reasoning, with the closing tag %s',
    async (_, events, text) => {
      expect(await stream(...events, done)).toMatchObject({ text, reasoning: 'Add. Carry.' })
    },
  )

  // As Google's server sent it to a request of gemini-2.5-pro-preview.
  test('Gemini over Chat Completions takes a marked reply without a tag as text, whole and streamed', async () => {
    const content = 'The current time is Noon.'
    const extra_content = { google: { thought: true, thought_signature: 'AVSo' } }
    expect(await generate(whole({ content, extra_content }))).toMatchObject({ text: content })
    const events = [
      chunk({ content: 'The current ', extra_content }),
      chunk({ content: 'time is Noon.' }, stop),
      done,
    ]
    expect(await stream(...events)).toMatchObject({ text: content, reasoning: '' })
  })

  test('Gemini over Chat Completions splits the content of a whole reply into reasoning and text', async () => {
    const { text, reasoning } = await generate(
      whole({ content: '<thought>Add.</thought>It is 5', ...thought }),
    )
    expect([text, reasoning]).toEqual(['It is 5', 'Add.'])
  })

  test('Gemini over Chat Completions leaves the tags of a reply without the mark as they are', async () => {
    const { text, reasoning } = await generate(whole({ content: '<thought>Add.</thought>It is 5' }))
    expect([text, reasoning]).toEqual(['<thought>Add.</thought>It is 5', undefined])
  })

  test('Gemini over Chat Completions sends the signature of a reply back without the mark', async () => {
    const bodies: { messages: unknown[] }[] = []
    const extra_content = { google: { thought: true, thought_signature: 'sig' } }
    const provider = chatProvider((body: { messages: unknown[] }) => {
      bodies.push(body)
      return json(whole({ content: '<thought>Add.</thought>It is 5', extra_content }))
    })
    const question = [{ role: 'user' as const, content: '2 + 3?' }]
    const { message } = await provider.generate(question, once)
    await provider.generate([...question, message, ...question], once)
    expect(bodies[1]?.messages[1]).toMatchObject({
      content: 'It is 5',
      extra_content: { google: { thought_signature: 'sig' } },
    })
    expect(JSON.stringify(bodies[1]?.messages[1])).not.toContain('"thought"')
  })
})
