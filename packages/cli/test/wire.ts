import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openaiChat } from '@modelport/conformance'
import {
  startWireServer,
  type WireReply,
  type WireServer,
  type WireServerOptions,
} from '@modelport/conformance/wire-server'

/** The key of the tests: it must be seen nowhere. */
export const key = 'sk-canary-0123456789'

const usage = { inputTokens: 12, outputTokens: 5 }

/**
 * Calls a tool that it is given once, answers in the schema that it is asked for, and says
 * something evil where that is wanted.
 */
const reply: WireReply = (request, { format }) => {
  const { messages, tools } = format.read(request)
  const last = messages.at(-1)
  const said = messages.findLast(({ role }) => role === 'user')?.text ?? ''
  const call = said.includes('add_numbers') ? { a: 2, b: 3 } : { city: 'Rome\u202e' }
  if (tools.length && last?.role === 'user')
    return {
      ...(said.includes('Look first') && { text: ['Let me look.'] }),
      toolCalls: [{ id: 'call_1', name: tools[0]?.name ?? '', arguments: call }],
      finish: 'tool-calls',
      usage,
    }
  if (JSON.stringify(request.body).includes('json_schema'))
    return { text: ['{"ok": true}'], finish: 'stop', usage }
  if (said.includes('evil'))
    return {
      text: ['a\u001b]52;c;ZXZpbA==\u0007b', '\u001b[2J', 'c\rd \u202etxt'],
      finish: 'stop',
      usage,
    }
  if (said.includes('slow'))
    return {
      text: Array.from({ length: 2000 }, (_, index) => `word${index} `),
      finish: 'stop',
      usage,
    }
  if (said.includes('plain'))
    return { text: ['Plain', ' text'], finish: said.includes('cut') ? 'length' : 'stop', usage }
  return {
    text: [
      '## Answer\n\n',
      'It is **warm**',
      ' in `Rome`.\n\n',
      '- one\n- two\n\n[here](https://true.example/x)',
    ],
    finish: 'stop',
    usage,
  }
}

/** A server that plays a model. */
export const startModel = (options: Partial<WireServerOptions> = {}): Promise<WireServer> =>
  startWireServer({ formats: [openaiChat], reply, apiKey: key, ...options })

/** Where the configuration of a home is. */
export const configOf = (home: string): string => join(home, '.config/modelport/config.yaml')

/** Writes a configuration with one model, at this address. */
export function configure(home: string, url: string, fields = ''): void {
  mkdirSync(join(home, '.config/modelport'), { recursive: true, mode: 0o700 })
  const rows = [
    'models:',
    '  - name: main',
    '    provider: openai-compatible',
    '    model: my-model',
    `    base_url: ${url}/v1`,
    '    api_key_env: MY_KEY',
    ...(fields ? [`    ${fields}`] : []),
    'roles: {chat: main}',
  ]
  writeFileSync(configOf(home), `${rows.join('\n')}\n`, { mode: 0o600 })
}

/** A module with one tool. */
export function writeTools(home: string): string {
  const file = join(home, 'tools.mjs')
  writeFileSync(
    file,
    `export default [{ name: 'get_weather', description: 'The weather', parameters: { type: 'object' }, execute: ({ city }) => ({ city, degrees: 28 }) }]`,
  )
  return file
}
