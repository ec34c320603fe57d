import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openaiChat } from '@modelport/conformance'
import { startWireServer, type WireReply, type WireServer } from '@modelport/conformance/wire-server'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createHome, PseudoTerminal, stable } from './pseudo-terminal.js'

const key = 'sk-canary-0123456789'
const enter = '\r'
const prompt = /^>/m
const usage = { inputTokens: 12, outputTokens: 5 }
/** Calls a tool that it is given once, answers in the schema that it is asked for, and says something evil where that is wanted. */
const reply: WireReply = (request, { format }) => {
  const { messages, tools } = format.read(request)
  const last = messages.at(-1)
  const said = messages.findLast(({ role }) => role === 'user')?.text ?? ''
  if (tools.length && last?.role === 'user') return { toolCalls: [{ id: 'call_1', name: tools[0]?.name ?? '', arguments: said.includes('add_numbers') ? { a: 2, b: 3 } : { city: 'Rome\u202e' } }], finish: 'tool-calls', usage }
  if (JSON.stringify(request.body).includes('json_schema')) return { text: ['{"ok": true}'], finish: 'stop', usage }
  if (said.includes('evil')) return { text: ['a\u001b]52;c;ZXZpbA==\u0007b', '\u001b[2J', 'c\rd \u202etxt'], finish: 'stop', usage }
  if (said.includes('slow')) return { text: Array.from({ length: 2000 }, (_, index) => `word${index} `), finish: 'stop', usage }
  return { text: ['## Answer\n\n', 'It is **warm**', ' in `Rome`.\n\n', '- one\n- two\n\n[here](https://true.example/x)'], finish: 'stop', usage }
}

let server: WireServer
let home: ReturnType<typeof createHome>
let terminal: PseudoTerminal | undefined
const configFile = (): string => join(home.path, '.config/modelport/config.yaml')
const start = async (args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<PseudoTerminal> => {
  terminal = await PseudoTerminal.start(args, home.path, variables)
  return terminal
}
const configure = (extra = ''): void => {
  mkdirSync(join(home.path, '.config/modelport'), { recursive: true })
  writeFileSync(configFile(), `models:\n  - name: main\n    provider: openai-compatible\n    model: my-model\n    base_url: ${server.url}/v1\n    api_key_env: MY_KEY\n${extra}roles: {chat: main}\n`, { mode: 0o600 })
}

beforeEach(async () => {
  home = createHome()
  server = await startWireServer({ formats: [openaiChat], reply, apiKey: key, delayMs: 2 })
})
afterEach(async () => {
  terminal?.kill()
  await server.close()
  home.remove()
})

describe('init', () => {
  test('asks, tests, and writes a configuration and a key that nobody else reads', async () => {
    const shown = await start(['init', '--provider', 'openai-compatible'])
    await shown.shows('Address of openai-compatible?')
    shown.type(`${server.url}/v1${enter}`)
    await shown.shows('Key of openai-compatible')
    shown.type(`${key}${enter}`)
    await shown.shows('Where to keep the key?')
    shown.type(enter)
    await shown.shows('Which model?')
    shown.type(enter)
    expect(await shown.ended()).toBe(0)
    expect(shown.raw).not.toContain(key)
    await expect(stable(shown.screen())).toMatchFileSnapshot('screens/init.txt')
    expect(statSync(configFile()).mode & 0o777).toBe(0o600)
    expect(readFileSync(configFile(), 'utf8')).not.toContain(key)
    const keys = join(home.path, '.config/modelport/keys.env')
    expect(statSync(keys).mode & 0o777).toBe(0o600)
    expect(readFileSync(keys, 'utf8')).toBe(`OPENAI_COMPATIBLE_API_KEY=${key}\n`)
    // What was set up works without a variable.
    const answered = await start(['complete', 'Hello'])
    await answered.shows('It is **warm**')
    expect(await answered.ended()).toBe(0)
  })

  test('says what is wrong with the key, and saves nothing when the user gives up', async () => {
    const shown = await start(['init', '-p', 'openai-compatible', '--base-url', `${server.url}/v1`, '-m', 'my-model'])
    await shown.shows('Key of openai-compatible')
    shown.type(`sk-wrong-0123456789${enter}`)
    await shown.shows('Where to keep the key?')
    shown.type(enter)
    await shown.shows('It does not work yet.')
    expect(shown.screen()).toContain('The key was refused')
    shown.type('\u0003')
    expect(await shown.ended()).toBe(130)
    expect(readdirSync(home.path)).toEqual([])
  })
})

describe('doctor', () => {
  test('shows every step of a model that works', async () => {
    configure()
    const shown = await start(['doctor'], { MY_KEY: key })
    expect(await shown.ended()).toBe(0)
    await expect(stable(shown.screen())).toMatchFileSnapshot('screens/doctor.txt')
  })

  test('says what is wrong and what to do', async () => {
    configure()
    const shown = await start(['doctor'], { MY_KEY: 'sk-wrong-0123456789' })
    expect(await shown.ended()).toBe(20)
    await expect(stable(shown.screen())).toMatchFileSnapshot('screens/doctor-auth.txt')
  })
})

describe('chat', () => {
  const toolFile = (): string => {
    const file = join(home.path, 'tools.mjs')
    writeFileSync(file, `export default [{ name: 'get_weather', description: 'The weather', parameters: { type: 'object' }, execute: ({ city }) => ({ city, degrees: 28 }) }]`)
    return file
  }

  test('streams Markdown, asks before a tool runs, shows usage and cost, and keeps the conversation', async () => {
    configure('    profile: {input_cost_per_million: 3, output_cost_per_million: 15}\n')
    const shown = await start(['chat', '--tools', toolFile()], { MY_KEY: key })
    await shown.shows(prompt)
    shown.type(`Is it warm?${enter}`)
    await shown.shows('lways?')
    shown.type(`y${enter}`)
    await shown.shows(' USD')
    shown.type('\u0004')
    expect(await shown.ended()).toBe(0)
    expect(shown.raw).not.toContain(key)
    expect(shown.raw).toContain('\u001b[1mwarm')
    await expect(stable(shown.screen())).toMatchFileSnapshot('screens/chat.txt')

    const resumed = await start(['chat', '--resume', '--no-markdown'], { MY_KEY: key })
    await resumed.shows('4 messages so far')
    resumed.type(`Sure?${enter}`)
    await resumed.shows(' out')
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('Is it warm?')
    resumed.type(`/exit${enter}`)
    expect(await resumed.ended()).toBe(0)
  })

  test('Ctrl-C stops the answer, and at the prompt the program', async () => {
    configure()
    const shown = await start(['chat'], { MY_KEY: key })
    await shown.shows(prompt)
    shown.type(`be slow${enter}`)
    await shown.shows('word20')
    shown.type('\u0003')
    await shown.shows('stopped')
    await shown.shows(prompt, 2)
    shown.type(`again${enter}`)
    await shown.shows('• two')
    const { messages } = server.requests.at(-1)?.body as { messages: { role: string; content: string }[] }
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(messages[1]?.content).toMatch(/^word0 word1 /)
    await shown.shows(prompt, 3)
    shown.type('\u0003')
    expect(await shown.ended()).toBe(130)
  })

  test('a model cannot reach the terminal', async () => {
    configure()
    const shown = await start(['chat', '--no-save'], { MY_KEY: key })
    await shown.shows(prompt)
    shown.type(`be evil${enter}`)
    await shown.shows('abcd txt')
    for (const sequence of ['\u001b]', '\u001b[2J', '\u202e']) expect(shown.raw).not.toContain(sequence)
    shown.type('\u0004')
    expect(await shown.ended()).toBe(0)
    expect(readdirSync(home.path)).toEqual(['.config'])
  })
})
