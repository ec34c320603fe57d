import { defineTool } from '@modelport/runtime'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { fc } from '../../../test/support/fast-check.js'
import { Dialog, definePrompt, json, PromptRegistry, tags, text } from '../src/index.js'

const ask = definePrompt({ path: 'research/ask', text: 'Find {count} papers about {topic}.' })

describe('the text of a prompt', () => {
  test('a prompt fills its placeholders with texts, numbers and booleans', () => {
    expect(definePrompt({ path: 'hello', text: 'Hello {name}' }).render({ name: 'World' })).toBe(
      'Hello World',
    )
    expect(ask.render({ count: 3, topic: 'SSE' })).toBe('Find 3 papers about SSE.')
  })

  test('a prompt renders a doubled brace as one brace', () => {
    const prompt = definePrompt({ path: 'json', text: 'Reply {{"name": "{name}"}} or {{{name}}}' })
    expect(prompt.render({ name: 'Ada' })).toBe('Reply {"name": "Ada"} or {Ada}')
    expect(prompt.placeholders).toEqual(['name'])
  })

  test('a prompt never reads a value as a template', () => {
    const prompt = definePrompt({ path: 'a', text: '{a}{b}' })
    expect(prompt.render({ a: '{b} $& {{', b: '{a}' })).toBe('{b} $& {{{a}')
  })

  test('a prompt renders any text unchanged if its braces are doubled', () => {
    fc.assert(
      fc.property(fc.string(), (original) => {
        const doubled = original.replaceAll('{', '{{').replaceAll('}', '}}')
        expect(definePrompt({ path: 'any', text: doubled }).render({})).toBe(original)
      }),
    )
  })

  test('a prompt names every missing, unknown and wrongly typed value at once', () => {
    const args = { topic: ['list'], extra: 1 } as never
    expect(() => ask.render(args)).toThrow(
      expect.objectContaining({
        code: 'invalid-request',
        message:
          'prompt "research/ask": the placeholder {count} has no value; the value of {topic} must be a text, a finite number or a boolean, not a list; ' +
          'the value "extra" has no placeholder; the text has {count}, {topic}',
      }),
    )
    for (const wrong of [null, undefined, NaN, Infinity, {}, Symbol.iterator])
      expect(() => ask.render({ count: 1, topic: wrong } as never)).toThrow('{topic}')
    expect(() => ask.render({ count: 1, __proto__: { topic: 'x' } } as never)).toThrow(
      '{topic} has no value',
    )
  })

  test.each([
    ['an open brace', 'one\ntwo {', 'line 2, column 5: "{" is not a placeholder'],
    [
      'JSON with single braces',
      'Say {"a": 1}',
      'line 1, column 5: "{\\"a\\": 1}" is not a placeholder',
    ],
    ['a closing brace', 'Say }', 'line 1, column 5: a "}" closes nothing; write "}}" for a brace'],
    ['an empty placeholder', 'Say {}', '"{}" is not a placeholder'],
    ['a format of Python', 'Say {a:>10}', '"{a:>10}" is not a placeholder'],
  ])('a prompt refuses %s with its line and column', (_, wrong, message) => {
    expect(() => definePrompt({ path: 'wrong', text: wrong })).toThrow(message)
  })

  test.each(['', '/a', 'a/', 'a//b', 'a b', 42 as never])(
    'a prompt refuses the path %j',
    (path) => {
      expect(() => definePrompt({ path, text: '' })).toThrow(
        expect.objectContaining({ code: 'config' }),
      )
    },
  )

  test('a prompt checks and converts arguments with a schema', () => {
    const prompt = definePrompt({
      path: 'dated',
      text: 'On {day}, {count} times',
      args: z.object({
        day: z.date().transform((date) => date.toISOString().slice(0, 10)),
        count: z.number().default(1),
      }),
    })
    expect(prompt.render({ day: new Date(0) })).toBe('On 1970-01-01, 1 times')
    expect(() => prompt.render({ day: 'today' } as never)).toThrow('prompt "dated": day: ')
  })
})

describe('the content hash of a prompt', () => {
  const hashOf = (settings: object): string =>
    definePrompt({ path: 'a', text: 'Hi', ...settings }).hash
  const tool = (description: string) => defineTool({ name: 't', description, execute: () => '' })

  test('the content hash of a prompt is the same for the same wording under another path', () => {
    expect(hashOf({ path: 'b' })).toBe(hashOf({}))
    expect(hashOf({})).toMatch(/^[\da-f]{64}$/)
  })

  test('the content hash of a prompt changes with the text, the parser, the tools, the handlers and the options', () => {
    const hashes = [
      hashOf({}),
      hashOf({ text: 'Hi!' }),
      hashOf({ parse: json(z.object({ a: z.string() })) }),
      hashOf({ parse: json(z.object({ b: z.string() })) }),
      hashOf({ parse: tags({ xml: { a: text() } }) }),
      hashOf({ tools: [tool('one')] }),
      hashOf({ tools: [tool('two')] }),
      hashOf({ onParseError: '{error_message}' }),
      hashOf({ onToolResults: false }),
      hashOf({ lastCall: 'Enough.' }),
      hashOf({ options: { temperature: 0 } }),
    ]
    expect(new Set(hashes).size).toBe(hashes.length)
  })
})

describe('a prompt that extends another', () => {
  test('a prompt that extends another keeps what it does not change', () => {
    const search = defineTool({ name: 'search', description: 'Searches', execute: () => '' })
    const base = ask.extend({ path: 'research/base', tools: [search], lastCall: 'Enough.' })
    const again = base.extend({
      path: 'research/again',
      text: 'Once more: {topic}',
      parse: json(z.array(z.string())),
    })
    expect(base.render({ count: 1, topic: 'x' })).toBe('Find 1 papers about x.')
    expect(again.render({ topic: 'x' })).toBe('Once more: x')
    expect(again.tool('search')).toBe(search)
    expect(again.tool('other')).toBeUndefined()
    expect([again.lastCall, base.hasParser, again.hasParser]).toEqual(['Enough.', false, true])
  })

  test('a prompt that extends another refuses two tools with the same name', () => {
    const tool = defineTool({ name: 't', description: '', execute: () => '' })
    expect(() => definePrompt({ path: 'a', text: '', tools: [tool, tool] })).toThrow(
      'the tool "t" is given twice',
    )
  })
})

describe('a registry', () => {
  const registry = new PromptRegistry([
    ask,
    definePrompt({ path: 'edit/ask', text: 'Edit {text}' }),
  ])

  test('a registry finds prompts by path and below a path', () => {
    expect(registry.get('research/ask')).toBe(ask)
    expect(registry.scope('edit')('ask').path).toBe('edit/ask')
    expect(registry.list().map(({ path }) => path)).toEqual(['research/ask', 'edit/ask'])
    expect(registry.list('edit').map(({ path }) => path)).toEqual(['edit/ask'])
  })

  test('a registry names the nearest path when there is no such prompt', () => {
    expect(() => registry.get('reserch/ask')).toThrow(
      'there is no prompt "reserch/ask"; did you mean "research/ask"?',
    )
    expect(() => registry.get('summary')).toThrow('known: research/ask, edit/ask')
  })

  test('a registry refuses a second prompt with the same path, and then adds nothing', () => {
    const other = definePrompt({ path: 'new', text: '' })
    expect(() => registry.register(other, ask)).toThrow(
      'a prompt "research/ask" is registered already',
    )
    expect(registry.has('new')).toBe(false)
  })

  test('a registry reports handlers that nothing fills, handlers that show nothing and tools without a schema', () => {
    const wrong = definePrompt({
      path: 'wrong',
      text: 'Ask {topic}',
      onParseError: 'Fix {error}, {topic}',
      onToolResults: 'Look',
      lastCall: definePrompt({
        path: 'last',
        text: 'Stop {now}',
        onParseError: 'x {error_message}',
      }),
      tools: [defineTool({ name: 'now', description: '', execute: () => '' })],
    })
    expect(new PromptRegistry([wrong]).check().map(({ message }) => message)).toEqual([
      'prompt "wrong", onParseError: nothing fills {error}; it can use {topic}, {error_message}',
      'prompt "wrong", onParseError: it does not show {error_message}; the model would not know what happened',
      'prompt "wrong", onToolResults: it does not show {call_results}; the model would not know what happened',
      'prompt "wrong", lastCall: nothing fills {now}; it can use {topic}',
      'prompt "wrong", lastCall: the handler "last" has a handler of its own, onParseError, which is never used',
      'prompt "wrong": the tool "now" has no schema, so it takes no arguments',
    ])
    expect(registry.check()).toEqual([])
  })

  test('a registry gives prompts that a dialog can send', () => {
    expect(Dialog.seed().send(registry.get('edit/ask'), { text: 'x' }).tail).toEqual({
      role: 'user',
      content: 'Edit x',
    })
  })
})
