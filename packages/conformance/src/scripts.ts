import type { ToolDefinition } from '@modelport/core'
import type { Script, ScriptCall, ScriptTurn } from './script.js'

const usage = { inputTokens: 21, outputTokens: 7 }
const stop = (text: readonly string[], more: Partial<ScriptTurn> = {}): ScriptTurn => ({
  text,
  finish: 'stop',
  usage,
  ...more,
})
const calls = (toolCalls: readonly ScriptCall[], more: Partial<ScriptTurn> = {}): ScriptTurn => ({
  toolCalls,
  finish: 'tool-calls',
  usage,
  ...more,
})
const script = (name: string, ...turns: readonly ScriptTurn[]): Script => ({ name, turns })
const weather = (id: string | undefined, city: string): ScriptCall => ({
  ...(id !== undefined && { id }),
  name: 'get_weather',
  arguments: { city },
})

/** Replies without tools. */
export const textScripts: readonly Script[] = [
  script('text', stop(['Hel', 'lo', ', ', 'world', '!'])),
  script('empty text', stop([])),
  script(
    'unicode',
    stop([
      'Zażółć ',
      '日本語 ',
      '👩‍👩‍👧‍👦🇵🇱',
      ' e\u0301a\u0308',
      ' שלום',
      ' \u2028\u2029\ufeff ',
      '𝔘𝔫𝔦',
      ' "\\\n\r\t\u0001',
    ]),
  ),
  script('white space', stop([' ', '\n', '\n\n', '  x  ', '\t'])),
  script(
    'reasoning',
    stop(['It is ', '4.'], {
      reasoning: ['2 and 2', ' make', ' four.'],
      usage: { inputTokens: 9, outputTokens: 30, reasoningTokens: 21 },
    }),
  ),
  script(
    'usage tail',
    stop(['Hi'], {
      usage: { inputTokens: 1200, outputTokens: 64, cacheReadTokens: 1000, reasoningTokens: 48 },
    }),
  ),
  script(
    'cache writes',
    stop(['Hi'], {
      usage: { inputTokens: 1500, outputTokens: 4, cacheReadTokens: 300, cacheCreationTokens: 700 },
    }),
  ),
  script('length', { text: ['Once upon', ' a'], finish: 'length', usage }),
  script('content filter', { text: ['I can'], finish: 'content-filter', usage }),
]

/** Replies with tools. */
export const toolScripts: readonly Script[] = [
  script('one call', calls([weather('call_1', 'Oslo')]), stop(['Cold.'])),
  script(
    'parallel calls',
    calls([
      weather('call_a', 'Oslo'),
      weather('call_b', 'Łódź 🏭'),
      { id: 'call_c', name: 'get_time', arguments: { zone: 'UTC', list: [1, { a: null }] } },
    ]),
    stop(['Three ', 'answers.']),
  ),
  script(
    'text and calls',
    calls([weather('call_x', 'Rome'), weather('call_y', 'Bari')], { text: ['Let me ', 'look.'] }),
    stop(['Sunny.']),
  ),
  script(
    'reasoning and calls',
    calls([weather('call_r', 'Bonn')], {
      reasoning: ['I need', ' the weather.'],
      usage: { inputTokens: 10, outputTokens: 40, reasoningTokens: 12 },
    }),
    stop(['Rain.']),
  ),
  script(
    'calls without ids',
    calls([weather(undefined, 'Oslo'), weather(undefined, 'Rome')]),
    calls([weather(undefined, 'Bari')]),
    stop(['Done.']),
  ),
  script(
    'empty arguments',
    calls([
      { id: 'call_e', name: 'list_rooms', arguments: {}, argumentsText: '' },
      { id: 'call_f', name: 'list_rooms', arguments: {} },
    ]),
    stop(['Two.']),
  ),
  script(
    'malformed arguments',
    calls([
      { id: 'call_m', name: 'get_weather', arguments: {}, argumentsText: '{"city": "Oslo", }' },
      weather('call_n', 'Rome'),
    ]),
    stop(['Sorry.']),
  ),
  script(
    'arguments that are not an object',
    calls([{ id: 'call_o', name: 'get_weather', arguments: {}, argumentsText: '["Oslo"]' }]),
    stop(['Sorry.']),
  ),
  script('length inside a call', {
    toolCalls: [
      { id: 'call_l', name: 'get_weather', arguments: {}, argumentsText: '{"city": "Os' },
    ],
    finish: 'length',
    usage,
  }),
  script(
    'two turns',
    calls([weather('call_1', 'Oslo')], { text: ['First. '] }),
    stop(['Second.'], { usage: { inputTokens: 50, outputTokens: 3, cacheReadTokens: 20 } }),
  ),
  script(
    'three turns',
    calls([weather('call_1', 'Oslo')], { text: ['One. '] }),
    calls([weather('call_2', 'Rome'), weather('call_3', 'Bari')], { text: ['Two. '] }),
    stop(['Three.']),
  ),
]

/** Every script of the suite. */
export const scripts: readonly Script[] = [...textScripts, ...toolScripts]

/** The script of that name. */
export function scriptNamed(name: string): Script {
  const script = scripts.find((one) => one.name === name)
  if (!script) throw new TypeError(`no script "${name}"`)
  return script
}

/** The tools of the scripts. */
export const scriptTools: readonly ToolDefinition[] = [
  {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
  {
    name: 'get_time',
    description: 'The time in a zone',
    parameters: {
      type: 'object',
      properties: { zone: { type: 'string' }, list: { type: 'array', items: {} } },
    },
  },
  { name: 'list_rooms', description: 'The rooms of the house' },
]
