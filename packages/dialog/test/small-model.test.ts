import type { Capabilities, Provider } from '@modelport/core'
import {
  createOpenAICompatible,
  presets,
  capabilities as serverCapabilities,
} from '@modelport/provider-openai-compatible'
import { afterAll, describe, expect, test } from 'vitest'
import { startLlamaServer } from '../../../test/support/llama-server.js'
import { capabilities as localCapabilities } from '../../provider-llamacpp/src/capabilities.js'
import { local, unavailable } from '../../provider-llamacpp/test/local-model.js'
import { smallTools } from '../../runtime/test/small-model.js'
import {
  ClassificationError,
  createDialogCaller,
  custom,
  Dialog,
  definePrompt,
  json,
  ParseError,
  toolCallsOf,
} from '../src/index.js'

const server = startLlamaServer()
afterAll(() => server?.stop())

const places: readonly {
  readonly name: string
  readonly skipped: boolean
  create(): Provider & { close?(): Promise<void> }
  capabilities(): Capabilities
}[] = [
  {
    name: 'a model on a server',
    skipped: !server,
    create: () =>
      createOpenAICompatible({
        preset: presets['llamacpp-server'],
        model: 'tinytool',
        baseUrl: `${server?.url ?? ''}/v1`,
      }),
    capabilities: () => serverCapabilities({ preset: presets['llamacpp-server'] }),
  },
  {
    name: 'a model in this process',
    skipped: unavailable !== undefined,
    create: () => local(),
    capabilities: () => localCapabilities(),
  },
]

const number = custom((reply) => {
  const found = /\d+/.exec(reply)?.[0]
  if (found === undefined) throw new ParseError(['the reply has no number'])
  return Number(found)
})

const aboutWeather = custom((reply) => {
  if (!reply.includes('weather')) throw new ParseError(['the reply is not about the weather'])
  return reply
})

describe.each(places)('an agent call to $name', ({ name, skipped, create, capabilities }) => {
  describe.skipIf(skipped)('with a model of 630,000 parameters', () => {
    const provider = skipped ? undefined : create()
    afterAll(() => provider?.close?.())
    const caller = () =>
      createDialogCaller({
        name: 'small',
        provider: provider as Provider,
        capabilities: capabilities(),
        mode: 'native',
        options: { temperature: 0, maxTokens: 160, reasoning: 'none' },
      })

    test('an agent call to a small model calls a tool and reads a typed value from the reply', async () => {
      const ask = definePrompt({
        path: 'weather',
        text: 'What is the weather in {city}?',
        parse: number,
        tools: smallTools,
      })
      for (const [city, degrees] of [
        ['Paris', 7],
        ['Rome', 31],
        ['Tokyo', 24],
      ] as const) {
        const { value, trace } = await caller().call(Dialog.seed().send(ask, { city }))
        expect(value).toBe(degrees)
        expect(toolCallsOf(trace)).toMatchObject([
          { name: 'get_weather', arguments: { city }, success: true },
        ])
      }
    })

    test('an agent call to a small model tries again when the parser refuses its reply, and the dialog drops the refused one', async () => {
      const ask = definePrompt({
        path: 'sum',
        text: 'Send an emoji',
        parse: aboutWeather,
        onParseError: 'What is the weather in Rome?',
      })
      const { value, trace, dialog } = await caller().call(Dialog.seed().send(ask))
      expect(value).toContain('weather')
      expect(trace.entries.filter(({ type }) => type === 'parse-error')).toHaveLength(1)
      expect(trace.entries.filter(({ type }) => type === 'pruned')).toHaveLength(1)
      expect(dialog.messages.map(({ content }) => content)).toEqual(['Send an emoji', value])
    })

    test('an agent call to a small model is held to a JSON schema', async () => {
      const schema = {
        type: 'object',
        properties: { city: { type: 'string', enum: ['Paris', 'Rome'] } },
        required: ['city'],
        additionalProperties: false,
      }
      const ask = definePrompt({
        path: 'city',
        text: 'Which city is it?',
        parse: json(schema),
        options: { vendor: withoutThoughts(name) },
      })
      const { value } = await caller().call(Dialog.seed().send(ask))
      expect(['Paris', 'Rome']).toContain((value as { city: string }).city)
    })

    test.skipIf(name !== 'a model on a server')(
      'an agent call to a small model votes for labels that a grammar holds it to',
      async () => {
        const dialog = Dialog.seed().send('What is the weather in Rome?')
        const { label, method, probabilities } = await caller().classify(
          dialog,
          ['mellow', 'yellow'],
          {
            method: 'grammar',
            votes: 2,
            options: { temperature: 0 },
          },
        )
        expect([method, ['mellow', 'yellow'].includes(label)]).toEqual(['grammar', true])
        expect(probabilities.mellow + probabilities.yellow).toBe(1)
      },
    )

    test.skipIf(name !== 'a model on a server')(
      'an agent call to a small model is held to labels by another method if it thinks first',
      async () => {
        const dialog = Dialog.seed().send('What is the weather in Rome?')
        const { provider } = caller().settings
        // The grammar holds its thoughts too.
        const thinker = createDialogCaller({
          name: 'thinker',
          provider,
          capabilities: serverCapabilities({ name: 'test' }),
        })
        const options = { reasoning: 'high' } as const
        const { method, traces } = await thinker.classify(dialog, ['mellow', 'yellow'], {
          votes: 1,
          options,
        })
        expect([method, traces.length]).toEqual(['schema', 1])
        await expect(
          thinker.classify(dialog, ['mellow', 'yellow'], { method: 'logprobs', options }),
        ).rejects.toThrow(
          'the reply has no text: the model says nothing, or thinks first; use the method "schema" or "votes"',
        )
      },
    )

    test('an agent call to a small model classifies by probabilities or votes', async () => {
      const examples = []
      let uncovered = 0
      const startedAt = performance.now()
      for (const { text, label } of questions()) {
        const options = {
          minCoverage: 0,
          question: 'weather or sum: {classes}',
          options: { vendor: withoutThoughts(name) },
        }
        const found = await caller()
          .classify(Dialog.seed().send(text), ['weather', 'sum'], options)
          .catch((error: unknown) => {
            if (!(error instanceof ClassificationError)) throw error
            uncovered++
          })
        if (!found) continue
        const { probabilities, method } = found
        expect(probabilities.weather + probabilities.sum).toBeCloseTo(1, 6)
        examples.push({ probabilities, label, method })
      }
      expect(examples.length).toBeGreaterThan(20)
      const ms = ((performance.now() - startedAt) / (examples.length + uncovered)).toFixed(1)
      console.log(
        `${name}, ${examples[0]?.method}, ${ms} ms a label, ${uncovered} without coverage`,
      )
    })
  })
})

/**
 * The server lets a model think before it holds it to a schema, and this one's thoughts may have no
 * end.
 */
const withoutThoughts = (name: string): Readonly<Record<string, unknown>> =>
  name === 'a model on a server' ? { reasoning_format: 'none' } : {}

const openings = ['What is', 'Tell me', 'How is', 'Please check', 'I want to know']

/** Questions about the weather and sums, made for this test. */
function questions(): readonly { readonly text: string; readonly label: string }[] {
  const cities = [
    'Paris',
    'Rome',
    'Oslo',
    'Tokyo',
    'Berlin',
    'Milan',
    'Kyoto',
    'Sydney',
    'Madrid',
    'Vienna',
  ]
  return [...cities, ...cities, ...cities, ...cities, ...cities].flatMap((city, index) => [
    { text: `${openings[index % 5] ?? ''} the weather in ${city}?`, label: 'weather' },
    { text: `What is ${index + 3} plus ${index * 7 + 2}?`, label: 'sum' },
  ])
}
