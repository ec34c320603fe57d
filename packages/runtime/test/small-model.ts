import { defineTool, type Tool } from '../src/index.js'

const tool = (
  name: string,
  description: string,
  properties: Readonly<Record<string, string>>,
  execute: (args: Readonly<Record<string, unknown>>) => unknown,
): Tool =>
  defineTool({
    name,
    description,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, type]) => [key, { type }]),
      ),
      required: Object.keys(properties),
    },
    execute,
  })

/** Degrees nobody could guess, and the same in each run. */
const degrees: Readonly<Record<string, number>> = {
  Paris: 7,
  Rome: 31,
  Oslo: 3,
  Tokyo: 24,
  Berlin: 12,
  Milan: 28,
  Kyoto: 19,
  Sydney: 35,
}

/** Tools the small model was taught. */
export const smallTools: readonly Tool[] = [
  tool('get_weather', 'The weather of a city', { city: 'string' }, ({ city }) => ({
    city,
    temp: degrees[String(city)] ?? 1,
    sky: 'sunny',
  })),
  tool(
    'add',
    'Adds two numbers',
    { a: 'integer', b: 'integer' },
    ({ a, b }) => Number(a) + Number(b),
  ),
]

/** Tools without open-ended text: what the model says has an end. */
export const shortTools: readonly Tool[] = [
  defineTool({
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', enum: Object.keys(degrees) } },
      required: ['city'],
      additionalProperties: false,
    },
    execute: () => 'sunny',
  }),
  defineTool({
    name: 'add',
    description: 'Adds two numbers',
    parameters: {
      type: 'object',
      properties: {
        a: { type: 'integer', minimum: 0, maximum: 99 },
        b: { type: 'integer', minimum: 0, maximum: 99 },
      },
      required: ['a', 'b'],
      additionalProperties: false,
    },
    execute: () => 'sum',
  }),
]

/** A prompt, the call it needs, and what only the result of that call says. */
export interface Task {
  readonly prompt: string
  readonly call: { readonly name: string; readonly args: Readonly<Record<string, unknown>> }
  readonly answer: string
}

const sums: readonly (readonly [number, number])[] = [
  [12, 30],
  [5, 7],
  [81, 2],
  [40, 9],
  [23, 16],
  [61, 33],
  [8, 50],
  [14, 14],
  [72, 11],
  [35, 20],
  [9, 6],
  [17, 45],
]

/** Twenty plainly worded prompts. */
export const tasks: readonly Task[] = [
  ...Object.entries(degrees).map(
    ([city, temp]): Task => ({
      prompt: `What is the weather in ${city}?`,
      call: { name: 'get_weather', args: { city } },
      answer: String(temp),
    }),
  ),
  ...sums.map(
    ([a, b]): Task => ({
      prompt: `What is ${a} plus ${b}?`,
      call: { name: 'add', args: { a, b } },
      answer: String(a + b),
    }),
  ),
]
