import { createMock } from '@modelport/provider-mock'
import { describe, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import {
  choice,
  createDialogCaller,
  custom,
  Dialog,
  defineAgentType,
  definePrompt,
  json,
  many,
  type Parser,
  tags,
  text,
} from '../src/index.js'
import type { ParserValue } from '../src/parse/parser.js'
import type { PlaceholderNames, TemplateValue } from '../src/prompt/placeholders.js'

describe('the types of prompts', () => {
  test('the types of prompts come from the text', () => {
    expectTypeOf<PlaceholderNames<'Find {count} of {topic}, {{not}} {{{count}}}'>>().toEqualTypeOf<
      'count' | 'topic'
    >()
    expectTypeOf<PlaceholderNames<'none {{at}} all'>>().toEqualTypeOf<never>()
    const ask = definePrompt({ path: 'a', text: 'Find {count} of {topic}.' })
    expectTypeOf(ask.render)
      .parameter(0)
      .toEqualTypeOf<{ readonly count: TemplateValue; readonly topic: TemplateValue }>()
    // @ts-expect-error: a placeholder has no value
    const missing = (): unknown => Dialog.seed().send(ask, { count: 1 })
    // @ts-expect-error: a value has no placeholder
    const unknown = (): unknown => Dialog.seed().send(ask, { count: 1, topic: 'x', more: 2 })
    // @ts-expect-error: arguments are required
    const none = (): unknown => Dialog.seed().send(ask)
    const plain = (): unknown => Dialog.seed().send(definePrompt({ path: 'b', text: 'Continue.' }))
    expectTypeOf([missing, unknown, none, plain]).toExtend<readonly (() => unknown)[]>()
  })

  test('the types of prompts come from a schema of the arguments if there is one', () => {
    const dated = definePrompt({
      path: 'a',
      text: 'On {day}',
      args: z.object({ day: z.date().transform(String) }),
    })
    expectTypeOf(dated.render).parameter(0).toEqualTypeOf<{ day: Date }>()
  })

  test('the types of prompts come from the parser, through send, fork, extend and call', () => {
    const Paper = z.object({ title: z.string(), year: z.number() })
    type Paper = z.infer<typeof Paper>
    const ask = definePrompt({
      path: 'a',
      text: 'Ask {topic}',
      parse: tags({
        xml: { answer: json(z.array(Paper)), lines: many(text()) },
        optional: { notes: text() },
        signals: ['MORE'],
      }),
    })
    interface Value {
      readonly answer: Paper[]
      readonly lines: readonly string[]
      readonly notes?: string
      readonly MORE: boolean
    }
    const dialog = Dialog.seed().send(ask, { topic: 'x' })
    expectTypeOf(dialog).toEqualTypeOf<Dialog<{ readonly [Key in keyof Value]: Value[Key] }>>()
    expectTypeOf(dialog.fork()).toEqualTypeOf(dialog)
    expectTypeOf(Dialog.seed().send('text')).toEqualTypeOf<Dialog<string>>()
    const caller = createDialogCaller({ name: 'a', provider: createMock({ responses: ['x'] }) })
    const called = (): unknown =>
      caller.call(dialog).then(({ value }) => expectTypeOf(value).toExtend<Value>())
    const changed = ask.extend({ path: 'b', text: 'Now {other}', parse: choice(['yes', 'no']) })
    expectTypeOf(ask.extend({ path: 'b' }).parser).toExtend<Parser<Value>>()
    expectTypeOf(Dialog.seed().send(changed, { other: 1 })).toEqualTypeOf<Dialog<'yes' | 'no'>>()
    expectTypeOf(() => Dialog.seed().expect(changed)).returns.toEqualTypeOf<Dialog<'yes' | 'no'>>()
    const read = (): unknown =>
      caller
        .run(dialog)
        .result()
        .then(
          (outcome) =>
            outcome.status === 'success' && expectTypeOf(outcome.value).toExtend<Value>(),
        )
    expectTypeOf(read).toBeFunction()
    const classified = (): unknown =>
      caller.classify(dialog, ['good', 'bad']).then(({ label, probabilities }) => {
        expectTypeOf(label).toEqualTypeOf<'good' | 'bad'>()
        expectTypeOf(probabilities).toEqualTypeOf<Readonly<Record<'good' | 'bad', number>>>()
      })
    expectTypeOf(classified).toBeFunction()
    expectTypeOf(custom(() => Promise.resolve(3))).toExtend<{ read: unknown }>()
    expectTypeOf<ParserValue<ReturnType<typeof custom<number>>>>().toEqualTypeOf<number>()
    expectTypeOf(called).toBeFunction()
  })

  test('a handler with a parser of its own must give the same value', () => {
    definePrompt({
      path: 'a',
      text: 'x',
      parse: choice(['yes', 'no']),
      // @ts-expect-error: the handler gives a text
      onParseError: definePrompt({
        path: 'h',
        text: '{error_message}',
        parse: custom((reply) => Number(reply)),
      }),
    })
  })
})

describe('the types of agent types', () => {
  test('the types of agent types come from their groups', () => {
    const type = defineAgentType({
      type: 'desk',
      groups: ['researcher', 'editor'],
      call: async (task: string, { agents }) => {
        expectTypeOf(agents).toEqualTypeOf<
          Readonly<Record<'researcher' | 'editor', typeof agents.editor>>
        >()
        return (await agents.editor.call(Dialog.seed().send(task))).value.length
      },
    })
    expectTypeOf(type.call).returns.resolves.toEqualTypeOf<number>()
  })
})
