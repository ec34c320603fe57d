// The rows of dialogs: a call with each parser, and a classification by each method.
import {
  choice,
  createAgents,
  createDialogCaller,
  custom,
  Dialog,
  type DialogCaller,
  definePrompt,
  json,
  many,
  type Parser,
  PromptRegistry,
  tags,
  text,
} from '@modelport/dialog'
import { z } from 'zod'
import { type CellContext, type Door, question, sentence, weatherInRome } from './door.js'

const object = z.object({ city: z.string(), degrees: z.number() })
const labels = ['good', 'bad'] as const

const caller = ({ provider }: CellContext) => createDialogCaller({ name: 'reporter', provider })

/** A call with this parser. */
function callDoor(
  name: string,
  parse: Parser<unknown>,
  sees: unknown,
  prompt: string = question,
): Door {
  return {
    name: `a dialog, ${name}`,
    covers: ['createDialogCaller', 'DialogCaller.call', name],
    sees,
    requests: 1,
    run: async (cell) => {
      const asked = Dialog.seed().send(definePrompt({ path: 'weather', text: prompt, parse }), {})
      const { value, usage } = await caller(cell).call(asked)
      return { value, usage }
    },
  }
}

type ClassifyMethod = NonNullable<Parameters<DialogCaller['classify']>[2]>['method']

function classifyDoor(method: ClassifyMethod, requests: number): Door {
  return {
    name: method ? `classify, by ${method}` : 'classify',
    covers: ['DialogCaller.classify'],
    sees: 'good',
    requests,
    run: async (cell) => {
      const { label } = await caller(cell).classify(Dialog.seed().send('I liked it.'), labels, {
        ...(method && { method }),
        votes: 3,
      })
      return { value: label }
    },
  }
}

const inTags = 'How warm is it in Rome? Answer as <city>CITY</city><degrees>NUMBER</degrees>.'

/** The rows. */
export const dialogDoors: readonly Door[] = [
  callDoor('text', text(), sentence),
  callDoor('json', json(object), weatherInRome),
  callDoor(
    'tags',
    tags({ xml: { city: text(), degrees: text() } }),
    { city: 'Rome', degrees: '28' },
    inTags,
  ),
  callDoor('many', tags({ xml: { city: many(text()) } }), { city: ['Rome'] }, inTags),
  callDoor(
    'choice',
    choice(labels),
    'good',
    'I liked it. Please respond with one and only one word from good, bad',
  ),
  callDoor(
    'custom',
    custom((reply) => reply.length, { name: 'length' }),
    sentence.length,
  ),
  {
    name: 'a dialog, json and a tool',
    covers: ['DialogCaller.call', 'json'],
    sees: weatherInRome,
    requests: 2,
    usesTool: true,
    run: async (cell) => {
      const prompt = definePrompt({
        path: 'weather',
        text: question,
        parse: json(object),
        tools: [cell.weather],
      })
      const { value, usage } = await caller(cell).call(Dialog.seed().send(prompt))
      return { value, usage }
    },
  },
  {
    name: 'createAgents',
    covers: ['createAgents'],
    sees: sentence,
    requests: 1,
    run: async ({ provider, api: { config } }) => {
      const agents = await createAgents(
        { reporter: { model: config.model, apiType: 'response' } },
        { prompts: new PromptRegistry(), provider: () => provider },
      )
      const outcome = await agents.reporter.call(Dialog.seed().send(question))
      return { value: outcome.text, usage: outcome.usage }
    },
  },
  {
    name: 'a dialog, streamed',
    covers: ['DialogCaller.run'],
    sees: [sentence, sentence],
    requests: 1,
    run: async (cell) => {
      const reader = caller(cell).run(Dialog.seed().send(question))
      let streamed = ''
      for await (const event of reader) if (event.type === 'text-delta') streamed += event.text
      const outcome = await reader.result()
      if (outcome.status === 'failure') throw outcome.error
      return { value: [streamed, outcome.text], usage: outcome.usage }
    },
  },
  classifyDoor(undefined, 1),
  classifyDoor('logprobs', 1),
  classifyDoor('grammar', 3),
  classifyDoor('schema', 3),
  classifyDoor('votes', 3),
  {
    name: 'binaryClassify',
    covers: ['DialogCaller.binaryClassify'],
    sees: true,
    requests: 1,
    run: async (cell) => ({
      value: (await caller(cell).binaryClassify(Dialog.seed().send('Is Rome warm?'))) > 0.5,
    }),
  },
]
