import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { fc } from '../../../test/support/fast-check.js'
import { choice, custom, json, many, ParseError, type Parser, tags, text } from '../src/index.js'
import { parseReply } from '../src/parse/parser.js'

const problemsOf = async (parser: Parser<unknown>, reply: string): Promise<readonly string[]> => {
  const parsed = await parser.read(reply)
  return parsed.ok ? [] : parsed.problems
}

describe('json', () => {
  const paper = json(z.object({ title: z.string(), year: z.number() }))

  test.each([
    ['plain JSON', '{"title":"A","year":1}'],
    ['a fence', '```json\n{"title":"A","year":1}\n```'],
    [
      'a fence after other braces',
      'As {asked}:\n```json\n{"title":"A","year":1}\n```\nThat {is} all.',
    ],
    ['text around it', 'Here you are: {"title":"A","year":1}. Anything else?'],
  ])('the json parser reads %s', async (_, reply) => {
    expect(await parseReply(paper, reply)).toEqual({ title: 'A', year: 1 })
  })

  test('the json parser lists everything that does not fit', async () => {
    expect(await problemsOf(paper, '{"year":"x"}')).toEqual([
      expect.stringMatching(/^title: /),
      expect.stringMatching(/^year: /),
    ])
  })

  test.each([
    ['nothing', '', 'expected JSON, found nothing'],
    ['prose', 'No.', 'expected JSON, found "No."'],
    [
      'JSON that is cut off',
      '{"title":"A',
      'the JSON is cut off: a string, a list or an object is not closed',
    ],
    ['broken JSON', '{"title" "A"}', expect.stringMatching(/^the JSON is not valid: /)],
  ])('the json parser says what is wrong with %s', async (_, reply, problem) => {
    expect(await problemsOf(paper, reply)).toEqual([problem])
  })

  test('the json parser takes a JSON Schema and any library of the Standard Schema', async () => {
    const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }
    expect(await parseReply(json(schema), '{"a":1}')).toEqual({ a: 1 })
    expect(await problemsOf(json(schema), '{"a":"x"}')).toHaveLength(1)
    const valibot = json(v.object({ a: v.number() }))
    expect(await parseReply(valibot, '{"a":1}')).toEqual({ a: 1 })
    expect(await problemsOf(valibot, '{}')).toEqual([expect.stringMatching(/^a: /)])
  })

  test('the json parser gives a schema for the response format only if it describes an object', () => {
    expect(paper.schema).toMatchObject({ type: 'object', required: ['title', 'year'] })
    expect(json(z.array(z.string())).schema).toBeUndefined()
    expect(json(v.object({ a: v.number() })).schema).toBeUndefined()
  })

  test('the json parser shows the part that has arrived', () => {
    const reply = '{"title":"A \\"B\\"","tags":["x","y"],"year":12}'
    const seen = Array.from(reply, (_, at) =>
      JSON.stringify(paper.partial?.(reply.slice(0, at + 1))),
    )
    expect([...new Set(seen)]).toEqual([
      '{}',
      '{"title":""}',
      '{"title":"A"}',
      '{"title":"A "}',
      '{"title":"A \\""}',
      '{"title":"A \\"B"}',
      '{"title":"A \\"B\\""}',
      '{"title":"A \\"B\\"","tags":[]}',
      '{"title":"A \\"B\\"","tags":[""]}',
      '{"title":"A \\"B\\"","tags":["x"]}',
      '{"title":"A \\"B\\"","tags":["x",""]}',
      '{"title":"A \\"B\\"","tags":["x","y"]}',
      '{"title":"A \\"B\\"","tags":["x","y"],"year":1}',
      '{"title":"A \\"B\\"","tags":["x","y"],"year":12}',
    ])
  })

  test('the json parser never throws for the beginning of any JSON, and ends with the value', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())),
        (value) => {
          const reply = JSON.stringify(value)
          for (let at = 0; at <= reply.length; at++) paper.partial?.(reply.slice(0, at))
          expect(paper.partial?.(reply)).toEqual(JSON.parse(reply))
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('tags', () => {
  const parser = tags({
    xml: { answer: json(z.array(z.string())), code: many(text()) },
    markdown: { python: text() },
    optional: { notes: text() },
    optionalMarkdown: { sql: text() },
    signals: ['MORE'],
    requiredSignals: ['DONE'],
  })
  const reply =
    'Well.\n<answer>["a"]</answer><code>1</code> and <code> 2 </code>\n```python\nprint("</answer>")\n```\n<DONE>'

  test('the tags parser hands the content of each tag to its parser', async () => {
    expect(await parseReply(parser, reply)).toEqual({
      answer: ['a'],
      code: ['1', '2'],
      python: 'print("</answer>")',
      MORE: false,
      DONE: true,
    })
    expect(
      await parseReply(parser, `${reply}<MORE><notes>n</notes>\n~~~~sql x\n~~~\n\`\`\`\n~~~~`),
    ).toMatchObject({
      notes: 'n',
      sql: '~~~\n```',
      MORE: true,
    })
  })

  test('the tags parser lists everything that is missing, open, repeated or malformed at once', async () => {
    const wrong = '<answer>[1]</answer><answer>["a"]</answer><notes>open\n```python\nopen'
    expect(await problemsOf(parser, wrong)).toEqual([
      '<answer> occurs 2 times: give it once',
      expect.stringMatching(/^<answer> 1: 0: /),
      '<code> is missing: the reply must contain it',
      'the ```python block is not closed: end it with ```',
      '<notes> is not closed: end it with </notes>',
      '<DONE> is missing: the reply must contain it',
    ])
  })

  test('the tags parser ignores fences with other names', async () => {
    const fences = tags({ markdown: { json: text() } })
    expect(await problemsOf(fences, '```json5\n1\n```')).toHaveLength(1)
    expect(await parseReply(fences, 'x\r\n   ```json title=a\n1\n   ```')).toEqual({ json: '1' })
    expect(await problemsOf(fences, 'inline ```json 1```')).toHaveLength(1)
  })

  test('the tags parser shows the fields that have arrived', () => {
    expect(parser.partial?.('Well')).toBeUndefined()
    expect(parser.partial?.('<code>1</code><answer>["a", "b')).toEqual({
      answer: ['a', 'b'],
      code: ['1'],
    })
  })

  test('the tags parser refuses names that are given twice, that cannot be tags, and no names at all', () => {
    expect(() => tags({ xml: { a: text() }, signals: ['a'] })).toThrow(
      'the name "a" is given twice',
    )
    expect(() => tags({ xml: { 'a b': text() } })).toThrow('"a b" is not a tag name')
    expect(() => tags({})).toThrow('give at least one tag')
  })

  test('the tags parser looks at each letter of a hostile reply a fixed number of times', async () => {
    // With a search for the end from each start this would take minutes.
    const open = '<answer>'.repeat(130_000) + '```python\n'.repeat(100_000)
    expect((await problemsOf(parser, open)).length).toBeGreaterThan(2)
    const nested = '[{"a":'.repeat(200_000)
    expect(await problemsOf(json(z.unknown()), nested)).toHaveLength(1)
  })

  test('the tags parser reads back what was written', async () => {
    const content = fc.string().filter((one) => !one.includes('<'))
    await fc.assert(
      fc.asyncProperty(content, content, fc.string(), async (answer, notes, around) => {
        fc.pre(!around.includes('<'))
        const two = tags({ xml: { answer: text() }, optional: { notes: text() } })
        const value = await parseReply(
          two,
          `${around}<notes>${notes}</notes><answer>${answer}</answer>${around}`,
        )
        expect(value).toEqual({ answer: answer.trim(), notes: notes.trim() })
      }),
    )
  })
})

describe('choice', () => {
  const parser = choice(['Yes', 'no', 'not sure'])

  test.each([
    ['yes', 'Yes'],
    [' "No." ', 'no'],
    ['**Not sure**', 'not sure'],
  ])('the choice parser reads %j as %s', async (reply, value) => {
    expect(await parseReply(parser, reply)).toBe(value)
  })

  test('the choice parser accepts nothing else', async () => {
    expect(await problemsOf(parser, 'Yes and no')).toEqual([
      'expected one of Yes, no, not sure, found "Yes and no"',
    ])
  })

  test('the choice parser refuses choices that look the same', () => {
    expect(() => choice(['Yes', 'yes.'])).toThrow('differ only in case or punctuation')
    expect(() => choice([])).toThrow('at least one')
  })
})

describe('custom', () => {
  test('a custom parser takes the value, the problems or the error of its function', async () => {
    const parser = custom((reply, { args }) => {
      if (reply === 'two') throw new ParseError(['one', 'two'])
      if (reply === 'throw') throw new TypeError('not so')
      return [reply, args]
    })
    expect(await parser.read('ok', { args: 7 })).toEqual({ ok: true, value: ['ok', 7] })
    expect(await problemsOf(parser, 'two')).toEqual(['one', 'two'])
    expect(await problemsOf(parser, 'throw')).toEqual(['not so'])
  })

  test('parseReply rejects with everything that is wrong and the text', async () => {
    const failure = parseReply(tags({ xml: { a: text(), b: text() } }), 'x')
    await expect(failure).rejects.toMatchObject({
      name: 'ParseError',
      code: 'protocol',
      text: 'x',
      problems: [
        '<a> is missing: the reply must contain it',
        '<b> is missing: the reply must contain it',
      ],
    })
  })
})
