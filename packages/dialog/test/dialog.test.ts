import type { ChatMessage } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Dialog, definePrompt, describeForks, json, PromptRegistry } from '../src/index.js'

const system = definePrompt({ path: 'system', text: 'You help with {field}.' })
const ask = definePrompt({
  path: 'ask',
  text: 'What is {thing}?',
  parse: json(z.object({ a: z.string() })),
})
const registry = new PromptRegistry([system, ask])
const reply: ChatMessage = { role: 'assistant', content: 'It is a thing.' }

describe('a dialog', () => {
  test('a dialog starts with instructions and knows the prompt that opened its last turn', () => {
    const dialog = Dialog.seed(system, { field: 'physics' })
      .send(ask, { thing: 'heat' })
      .append(reply)
    expect(dialog.messages).toEqual([
      { role: 'system', content: 'You help with physics.' },
      { role: 'user', content: 'What is heat?' },
      reply,
    ])
    expect([dialog.topPrompt, dialog.topArgs, dialog.tail, dialog.length]).toEqual([
      ask,
      { thing: 'heat' },
      reply,
      3,
    ])
  })

  test('a dialog leaves the old dialog as it was', () => {
    const first = Dialog.seed('Hi').send('One')
    const left = first.send('Two')
    const right = first.append(reply).send(ask, { thing: 'x' })
    expect([first, left, right].map(({ length }) => length)).toEqual([2, 3, 4])
    expect(first.messages[1]).toBe(left.messages[1])
    expect(Object.isFrozen(first.messages)).toBe(true)
  })

  test('a dialog sends images, sound and files with the text', () => {
    const file = {
      type: 'file',
      name: 'a.pdf',
      source: { type: 'base64', data: '', mediaType: 'application/pdf' },
    } as const
    const dialog = Dialog.seed().send(
      ask,
      { thing: 'this' },
      { images: ['data:image/png;base64,AA=='], files: [file] },
    )
    expect(dialog.tail?.content).toEqual([
      { type: 'text', text: 'What is this?' },
      { type: 'image', source: { type: 'base64', data: 'AA==', mediaType: 'image/png' } },
      file,
    ])
  })

  test('a dialog sends a text as it stands', () => {
    expect(Dialog.seed().send('{not} a {{template}}').tail?.content).toBe('{not} a {{template}}')
  })

  test('a dialog has an overview for people', () => {
    const calls = [{ id: 'c', name: 'search', arguments: { q: 1 }, argumentsText: '{"q":1}' }]
    const dialog = Dialog.seed(system, { field: 'x' })
      .send(ask, { thing: 'a very long thing '.repeat(10) })
      .append({ role: 'assistant', content: '', toolCalls: calls })
    expect(dialog.overview()).toBe(
      [
        '#  role       prompt  text',
        '1  system     system  You help with x.',
        '2  user       ask     What is a very long thing a very long thing a very long t...',
        '3  assistant          search({"q":1})',
      ].join('\n'),
    )
  })

  test('a dialog shows where forks diverge', () => {
    const start = Dialog.seed('Be brief.').send('One').append(reply)
    const forks = [
      start.fork(),
      start.send('Two'),
      start.send('Three').append(reply),
      Dialog.seed('Other'),
    ]
    expect(describeForks(forks)).toBe(
      [
        '#1-3 Be brief.  <- dialog 1',
        '  #4 Two  <- dialog 2',
        '  #4-5 Three  <- dialog 3',
        '#1 Other  <- dialog 4',
      ].join('\n'),
    )
  })
})

describe('a stored dialog', () => {
  const dialog = Dialog.seed(system, { field: 'physics' })
    .send(ask, { thing: 'heat' })
    .append(reply)
    .send('And then?')
  const stored = dialog.toJson()

  test('a stored dialog is plain JSON with path, hash and arguments of each prompt', () => {
    expect(JSON.parse(JSON.stringify(stored))).toEqual({
      version: 1,
      messages: dialog.messages,
      prompts: [
        { at: 0, path: 'system', hash: system.hash, args: { field: 'physics' } },
        { at: 1, path: 'ask', hash: ask.hash, args: { thing: 'heat' } },
        { at: 3, path: 'modelport/text', hash: expect.any(String), args: { text: 'And then?' } },
      ],
      top: 2,
    })
  })

  test('a stored dialog comes back with its prompts and continues', () => {
    const back = Dialog.fromJson(JSON.parse(JSON.stringify(stored)), registry)
    expect(back.toJson()).toEqual(stored)
    expect(back.send(ask, { thing: 'x' }).topPrompt).toBe(ask)
  })

  test('a stored dialog gets the type of its prompt back, and of no other prompt', () => {
    const asked = Dialog.fromJson(Dialog.seed().send(ask, { thing: 'x' }).toJson(), registry)
    expect(asked.expect(ask).topPrompt).toBe(ask)
    expect(() => asked.expect(system)).toThrow(
      'was expected to be of prompt "system"; "ask" opened it',
    )
    expect(() => asked.expect(ask.extend({ path: 'ask', text: 'Another {thing}' }))).toThrow(
      'another wording of "ask"',
    )
    expect(() => Dialog.seed().expect(ask)).toThrow('no prompt opened it')
  })

  test('a stored dialog is refused when the wording of a prompt has changed, unless that is accepted', () => {
    const changed = new PromptRegistry([
      system,
      ask.extend({ path: 'ask', text: 'Tell me: {thing}' }),
    ])
    expect(() => Dialog.fromJson(stored, changed)).toThrow(
      expect.objectContaining({
        code: 'invalid-request',
        message: expect.stringMatching(
          /^stored dialog, \/prompts\/1\/hash: the prompt "ask" has changed since/,
        ),
      }),
    )
    expect(Dialog.fromJson(stored, changed, { acceptChangedPrompts: true }).length).toBe(4)
  })
})
