import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAgent } from '@modelport/agent'
import { providerRows } from '@modelport/factory'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { serve } from '@modelport/serve/node'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { buildCli } from './build-cli.js'
import { PseudoTerminal, stable } from './pseudo-terminal.js'
import { useModel } from './set-up.js'
import { configOf, configure, key, writeTools } from './wire.js'

const enter = '\r'
const prompt = /^>/m
/** As long as a person needs at least to read a question. */
const reading = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 600))

const { home, server } = useModel({ delayMs: 2 })
let terminal: PseudoTerminal | undefined
const start = async (
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<PseudoTerminal> => {
  terminal = await PseudoTerminal.start(args, home.path, variables)
  return terminal
}
beforeAll(buildCli, 240_000)
afterEach(() => {
  terminal?.kill()
})

describe('init', () => {
  test('the command init asks, tests, and writes a configuration and a key that nobody else reads', async () => {
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
    expect(statSync(configOf(home.path)).mode & 0o777).toBe(0o600)
    expect(readFileSync(configOf(home.path), 'utf8')).not.toContain(key)
    const keys = join(home.path, '.config/modelport/keys.env')
    expect(statSync(keys).mode & 0o777).toBe(0o600)
    expect(readFileSync(keys, 'utf8')).toBe(`MODELPORT_KEY_MAIN=${key}\n`)
    // What was set up works without a variable.
    const answered = await start(['complete', 'Hello'])
    await answered.shows('It is warm')
    expect(await answered.ended()).toBe(0)
  })

  test('the command init says what is wrong with the key, and saves nothing when the user gives up', async () => {
    const shown = await start([
      'init',
      '-p',
      'openai-compatible',
      '--base-url',
      `${server.url}/v1`,
      '-m',
      'my-model',
    ])
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

test('init finds a provider by what is typed, and ends with a command that uses what it wrote', async () => {
  const shown = await start([
    'init',
    '-c',
    'my models.yaml',
    '--base-url',
    `${server.url}/v1`,
    '-m',
    'x',
    '--no-test',
  ])
  await shown.shows('Which provider?')
  shown.type('openai-comp')
  await shown.shows('openai-comp')
  shown.type(enter)
  await shown.shows('Key of openai-compatible')
  shown.type(enter)
  expect(await shown.ended()).toBe(0)
  expect(shown.screen()).toContain("Try it: modelport chat --config 'my models.yaml'")
  expect(readFileSync(join(home.path, 'my models.yaml'), 'utf8')).toContain(
    'provider: openai-compatible\n',
  )
})

test.each(
  providerRows.flatMap(({ name, cloud, keyEnv, question }) =>
    question ? [{ name, cloud, keyEnv: keyEnv[0] ?? '', question }] : [],
  ),
)(
  'init asks what $name has no default for, and proposes what its variable says',
  async ({ name, cloud, keyEnv, question }) => {
    const { setting, message, example, variables } = question
    const shown = await start(['init', '-m', 'any-model', '--no-test'], {
      [variables[0] ?? '']: example,
      [keyEnv]: key,
    })
    await shown.shows('Which provider?')
    shown.type(name)
    await shown.shows(name)
    shown.type(enter)
    await shown.shows(message)
    await shown.shows(example)
    shown.type(enter)
    expect(await shown.ended()).toBe(0)
    expect(readFileSync(configOf(home.path), 'utf8')).toContain(
      `${cloud ?? ''}:\n      ${setting}: ${example}\n    api_key_env: ${keyEnv}\n`,
    )
  },
)

describe('doctor', () => {
  test('the command doctor shows every step of a model that works', async () => {
    configure(home.path, server.url)
    const shown = await start(['doctor'], { MY_KEY: key })
    expect(await shown.ended()).toBe(0)
    await expect(stable(shown.screen())).toMatchFileSnapshot('screens/doctor.txt')
  })

  test('the command doctor says what is wrong and what to do', async () => {
    configure(home.path, server.url)
    const shown = await start(['doctor'], { MY_KEY: 'sk-wrong-0123456789' })
    expect(await shown.ended()).toBe(20)
    await expect(stable(shown.screen())).toMatchFileSnapshot('screens/doctor-auth.txt')
  })
})

describe('chat', () => {
  test('the command chat streams Markdown, asks before a tool runs, shows usage and cost, and keeps the conversation', async () => {
    configure(home.path, server.url, 'profile: {prices: {input: 3, output: 15}}')
    const shown = await start(['chat', '--tools', writeTools(home.path)], { MY_KEY: key })
    await shown.shows(prompt)
    shown.type(`Is it warm?${enter}`)
    await shown.shows('lways?')
    await reading()
    shown.type(`y${enter}`)
    await shown.shows(' USD')
    await shown.shows(prompt, 2)
    shown.type('\u0004')
    expect(await shown.ended()).toBe(0)
    expect(shown.raw).not.toContain(key)
    expect(shown.raw).toContain('\u001b[1mwarm')
    await expect(stable(shown.screen())).toMatchFileSnapshot('screens/chat.txt')

    const resumed = await start(['chat', '--resume', '--raw'], { MY_KEY: key })
    await resumed.shows('4 messages so far')
    resumed.type(`Sure?${enter}`)
    await resumed.shows(' out')
    await resumed.shows(prompt, 2)
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('Is it warm?')
    resumed.type(`/exit${enter}`)
    expect(await resumed.ended()).toBe(0)
  })

  test('lines typed before a tool asks do not approve it; pasted lines are read one after the other', async () => {
    configure(home.path, server.url)
    // Waiting for the decision is not the tool's time.
    const args = ['chat', '--no-save', '--tools', writeTools(home.path), '--tool-timeout', '0.2']
    const shown = await start(args, { MY_KEY: key })
    await shown.shows(prompt)
    shown.type(`first${enter}y${enter}second${enter}`)
    await shown.shows('lways?')
    await reading()
    expect(shown.screen()).not.toContain('get_weather {"city":"Rome\\u202e","degrees"')
    shown.type(`actually no${enter}`)
    await shown.shows('did not allow')
    await shown.shows('> y\n')
    await shown.shows('lways?', 2)
    await reading()
    shown.type(`a${enter}`)
    await shown.shows('"degrees":28}', 1)
    await shown.shows('> second\n')
    await shown.shows('"degrees":28}', 2)
    await shown.shows(/^>$/m)
    shown.type('\u0004')
    expect(await shown.ended()).toBe(0)
    const said = (
      server.requests.at(-1)?.body as { messages: { role: string; content: string }[] }
    ).messages.filter(({ role }) => role === 'user')
    expect(said.map(({ content }) => content)).toEqual(['first', 'y', 'second'])
  })

  test('the command chat continues if the chat cannot be saved, and saves all of it once it can', async () => {
    configure(home.path, server.url)
    const folder = join(home.path, 'chats')
    writeFileSync(folder, 'in its place')
    const shown = await start(['chat', '--sessions', folder], { MY_KEY: key })
    await shown.shows(prompt)
    shown.type(`plain one${enter}`)
    await shown.shows('not a folder')
    expect(shown.screen()).toContain('Plain text')
    rmSync(folder)
    await shown.shows(/^>$/m)
    shown.type(`plain two${enter}`)
    await shown.shows('Plain text', 2)
    await shown.shows(/^>$/m)
    shown.type('\u0004')
    expect(await shown.ended()).toBe(0)
    const [name = ''] = readdirSync(folder)
    expect(
      (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { messages: unknown[] }).messages,
    ).toHaveLength(4)
  })

  // Those of the half second after it: terminal-lines.test.ts, with a clock that stands.
  test('keys that are typed before an agent asks do not approve', async () => {
    let paid = 0
    const pay = defineTool({
      name: 'pay',
      description: 'Pays',
      parameters: { type: 'object' },
      execute: () => `paid ${++paid}`,
    })
    const agent = createAgent({
      card: { name: 'payer', description: 'Pays' },
      provider: createMock({
        responses: [{ toolCalls: [{ name: 'pay', arguments: {} }] }, 'Done.'],
        delayMs: 300,
      }),
      tools: [pay],
      policy: { default: 'require-approval' },
    })
    const agents = await serve([agent])
    const shown = await start(['agent', 'send', agents.url, 'pay'])
    await shown.shows('contacts')
    shown.type(`y${enter}y`)
    await shown.shows('approve? [y/N]')
    await reading()
    shown.type(enter)
    expect(await shown.ended()).toBe(4)
    expect(paid).toBe(0)
    await agents.close()
  })

  test('Ctrl-C at the question stops the reply', async () => {
    configure(home.path, server.url)
    const shown = await start(['chat', '--no-save', '--tools', writeTools(home.path)], {
      MY_KEY: key,
    })
    await shown.shows(prompt)
    shown.type(`warm?${enter}`)
    await shown.shows('lways?')
    shown.type('\u0003')
    await shown.shows('stopped')
    await shown.shows(prompt, 2)
    shown.type('\u0003')
    expect(await shown.ended()).toBe(130)
  })

  test('Ctrl-C stops the reply, and at the prompt the program', async () => {
    configure(home.path, server.url)
    const shown = await start(['chat'], { MY_KEY: key })
    await shown.shows(prompt)
    shown.type(`be slow${enter}`)
    await shown.shows('word20')
    shown.type(`again${enter}`)
    await shown.shows('word40')
    expect(shown.screen()).not.toContain('again')
    shown.type('\u0003')
    await shown.shows('stopped')
    await shown.shows('> again')
    await shown.shows('• two')
    const { messages } = server.requests.at(-1)?.body as {
      messages: { role: string; content: string }[]
    }
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(messages[1]?.content).toMatch(/^word0 word1 /)
    await shown.shows(prompt, 3)
    shown.type('\u0003')
    expect(await shown.ended()).toBe(130)
  })

  test('a model cannot reach the terminal', async () => {
    configure(home.path, server.url)
    const shown = await start(['chat', '--no-save'], { MY_KEY: key })
    await shown.shows(prompt)
    shown.type(`be evil${enter}`)
    await shown.shows('abcd txt')
    await shown.shows(prompt, 2)
    for (const sequence of ['\u001b]', '\u001b[2J', '\u202e'])
      expect(shown.raw).not.toContain(sequence)
    shown.type('\u0004')
    expect(await shown.ended()).toBe(0)
    expect(readdirSync(home.path)).toEqual(['.config'])
  })
})

describe('a provider package of the configuration', () => {
  const writeProvider = (reply: string): void => {
    writeFileSync(
      join(home.path, '.config/modelport/acme.mjs'),
      `const text = ${JSON.stringify(reply)}
export const createProvider = ({ model }) => ({
  name: 'acme', model, cheapestModel: model,
  generate: () => Promise.resolve({ text, finishReason: 'stop', usage: {}, message: { role: 'assistant', content: text } }),
})\n`,
    )
  }

  test('a provider package of the configuration is asked for once, and again when its file has changed', async () => {
    configure(home.path, server.url, 'package: ./acme.mjs')
    const config = readFileSync(configOf(home.path), 'utf8').replace('openai-compatible', 'acme')
    writeFileSync(configOf(home.path), config)
    writeProvider('The first reply.')
    const complete = ['complete', '--json', 'Hello']
    const refused = await start(complete)
    await refused.shows('Allow it?')
    refused.type(`y${enter}`)
    await reading()
    refused.type(enter)
    expect(await refused.ended()).toBe(3)
    expect(refused.screen()).toContain('was not allowed')

    const allowed = await start(complete)
    await allowed.shows('Allow it?')
    await reading()
    allowed.type(`y${enter}`)
    expect(await allowed.ended()).toBe(0)
    expect(allowed.screen()).toContain('The first reply.')

    const known = await start(complete)
    expect(await known.ended()).toBe(0)
    expect(known.screen()).not.toContain('Allow it?')

    writeProvider('Another reply.')
    const changed = await start(complete)
    await changed.shows('Allow it?')
    await reading()
    changed.type(`y${enter}`)
    expect(await changed.ended()).toBe(0)
    expect(changed.screen()).toContain('Another reply.')
  })
})
