// The agent type: its prompts, its tool, and the order in which its agents work.
import {
  ClassificationError,
  custom,
  defineAgentType,
  definePrompt,
  ParseError,
} from '@modelport/dialog'
import { defineTool } from '@modelport/runtime'

const degrees: Readonly<Record<string, number>> = { Paris: 7, Rome: 31, Oslo: 3 }

const getWeather = defineTool({
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: ({ city }) => ({ city, temp: degrees[city] ?? 1, sky: 'sunny' }),
})

const find = definePrompt({
  path: 'desk/find',
  text: 'What is the weather in {city}?',
  tools: [getWeather],
  parse: custom((reply) => {
    const number = /\d+/.exec(reply)?.[0]
    if (number === undefined) throw new ParseError(['the reply has no number of degrees'])
    return Number(number)
  }),
})

const edit = definePrompt({
  path: 'desk/edit',
  text: 'Send an emoji',
  // The first reply is an emoji, which is not about the weather.
  parse: custom((reply) => {
    if (!reply.includes('weather')) throw new ParseError(['the reply is not about the weather'])
    return reply
  }),
  onParseError: 'What is the weather in Rome?',
})

export interface Report {
  readonly city: string
  readonly degrees: number
  readonly line: string
  /**
   * How sure the model is that it was asked about the weather; undefined if it says something else.
   */
  readonly kind: { readonly label: string; readonly probability: number } | undefined
}

export const desk = defineAgentType({
  type: 'desk',
  groups: ['researcher', 'editor'],
  call: async (city: string, { agents: { researcher, editor } }): Promise<Report> => {
    const found = await researcher.call(researcher.open().send(find, { city }))
    const edited = await editor.call(editor.open().send(edit))
    const question = researcher.open().send(`Tell me the weather in ${city}?`)
    const kind = await researcher
      .classify(question, ['weather', 'sum'], {
        question: 'weather or sum: {classes}',
        minCoverage: 0,
      })
      .catch((error: unknown) => {
        if (error instanceof ClassificationError) return undefined
        throw error
      })
    return {
      city,
      degrees: found.value,
      line: edited.value,
      kind: kind && { label: kind.label, probability: kind.probabilities[kind.label] },
    }
  },
})
