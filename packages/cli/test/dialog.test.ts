import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useModel } from './set-up.js'
import { command, type Outcome, type World } from './test-io.js'
import { configOf, key } from './wire.js'

const { home, server } = useModel({ fields: 'profile: {input_cost_per_million: 3, output_cost_per_million: 15}' })
const cli = (args: readonly string[], world: Partial<World> = {}): Promise<Outcome> =>
  command(args, { home: home.path, stdin: '', environment: { MY_KEY: key }, ...world })

/** Writes files below the home. */
function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(home.path, path)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, text)
  }
}

describe('dialog call', () => {
  test('dialog call calls an agent of the configuration and shows its states', async () => {
    const file = configOf(home.path)
    writeFileSync(file, `${readFileSync(file, 'utf8')}agents:\n  writer:\n    model: main\n    temperature: 0.1\n`)
    const { code, out, err } = await cli(['dialog', 'call', 'writer', '--task', 'plain', '--usage'])
    expect([code, out]).toEqual([0, 'Plain text\n'])
    expect(err).toContain('state: calling\nstate: success\n')
    expect(server.requests.at(-1)?.body).toMatchObject({ temperature: 0.1 })
  })

  test('dialog call reads agents from TOML and prompts next to it, and prints the value as data', async () => {
    write({
      'desk/agents.toml':
        '[agent_configs.writer]\nmodel_name = "main"\nsystem_prompt_path = "desk/system"\nmax_exception_retry = 1\n',
      'desk/prompts/desk/system.md': 'You write for {reader}.',
      'desk/prompts/ask.md': '---\nparse: { choice: [Plain text, other] }\n---\nDo this: {task}\n',
    })
    const args = ['dialog', 'call', 'writer', '--agents', join(home.path, 'desk/agents.toml'), '--json']
    const { out, code } = await cli([...args, '--prompt', 'ask', '--arg', 'reader=children', '--task', 'plain'])
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      value: 'Plain text',
      cost: 0.000111,
      trace: { agent: 'writer', state: 'success' },
    })
    expect(server.requests.at(-1)?.body).toMatchObject({
      messages: [
        { role: 'system', content: 'You write for children.' },
        { role: 'user', content: 'Do this: plain' },
      ],
    })
    const refused = await cli([...args.slice(0, -1), '--prompt', 'ask', '--arg', 'reader=x', '--task', 'slow'])
    expect(refused.code).toBe(16)
    expect(refused.err).toContain('reply 1 was refused: expected one of Plain text, other')
    expect(refused.err).toContain(
      'state: failure\nerror (protocol): agent "writer", prompt "ask": The model gave 2 replies',
    )
    expect(await cli([...args.slice(0, -1), '--arg', 'nobody=x', '--arg', 'reader=y', '--task', 'x'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--arg nobody: no prompt of this call has the placeholder {nobody}'),
    })
  })

  test('dialog call names file and line of a wrong agent, and the agents there are', async () => {
    write({
      'a.toml': '[agent_configs.writer]\nmodel_nam = "main"\n',
      'b.toml': '[agent_configs.writer]\nmodel_name = "main"\n',
    })
    const wrong = await cli(['dialog', 'call', 'writer', '--agents', join(home.path, 'a.toml'), '--task', 'x'])
    expect([wrong.code, wrong.err]).toEqual([
      3,
      expect.stringContaining('a.toml, line 2: agent_configs.writer.model_nam'),
    ])
    const unknown = await cli(['dialog', 'call', 'editor', '--agents', join(home.path, 'b.toml'), '--task', 'x'])
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('there is no agent "editor" in')])
    expect((await cli(['dialog', 'call', 'x', '--agents', join(home.path, 'none.toml')])).code).toBe(3)
    expect((await cli(['dialog', 'call', 'x', '--arg', 'novalue'])).code).toBe(2)
  })
})

describe('prompts check', () => {
  test('prompts check lists the prompts of a folder and what would go wrong in a call', async () => {
    write({ 'good/ask.md': 'Ask {topic}', 'bad/ask.md': '---\nonParseError: Fix {error}\n---\nAsk {topic}' })
    expect(await cli(['prompts', 'check', join(home.path, 'good')])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^ask {2}[\da-f]{12} {2}\{topic\}\n$/),
    })
    const bad = await cli(['prompts', 'check', join(home.path, 'bad'), '--json'])
    expect([bad.code, (JSON.parse(bad.out) as { problems: unknown[] }).problems]).toEqual([
      20,
      [expect.anything(), expect.anything()],
    ])
    const folder = join(home.path, 'bad')
    const { out } = await cli(['prompts', 'check', folder])
    expect(out.split('\n')[1]).toBe(
      `${join(folder, 'ask.md')}: prompt "ask", onParseError: nothing fills {error}; it can use {topic}, {error_message}`,
    )
  })

  test('prompts check reports the problems of every file, also of those that cannot be read as a prompt', async () => {
    write({
      'mixed/a.md': 'Ask {\nor }',
      'mixed/b/ask.md': '---\nparse: text\n',
      'mixed/c.md': '---\nonParseError: Fix {error}\n---\nAsk {topic}',
      'mixed/d.md': 'Ask {topic}',
    })
    const folder = join(home.path, 'mixed')
    const { code, out, err } = await cli(['prompts', 'check', folder])
    expect([code, err]).toEqual([20, ''])
    expect(out.trim().split('\n')).toEqual([
      expect.stringMatching(/^c {2}[\da-f]{12} {2}\{topic\}$/),
      expect.stringMatching(/^d {2}[\da-f]{12} {2}\{topic\}$/),
      expect.stringContaining(`${join(folder, 'a.md')}, line 1, column 5`),
      `${join(folder, 'a.md')}, line 2, column 4: a "}" closes nothing; write "}}" for a brace`,
      `${join(folder, 'b', 'ask.md')}, line 1, column 1: the front matter is not closed; end it with a line "---"`,
      expect.stringContaining(`${join(folder, 'c.md')}: prompt "c", onParseError: nothing fills {error}`),
      expect.stringContaining(`${join(folder, 'c.md')}: prompt "c", onParseError: `),
    ])
    const json = await cli(['prompts', 'check', folder, '--json'])
    const { prompts, problems } = JSON.parse(json.out) as Record<
      'prompts' | 'problems',
      { path: string; line?: number; column?: number }[]
    >
    expect([json.code, prompts.map(({ path }) => path), problems.map(({ path }) => path)]).toEqual([
      20,
      ['c', 'd'],
      ['a', 'a', 'b/ask', 'c', 'c'],
    ])
    expect(problems[1]).toMatchObject({ line: 2, column: 4 })
  })

  test('prompts check reports a folder that does not exist as an error of the configuration', async () => {
    const args = ['prompts', 'check', join(home.path, 'none')]
    expect(await cli(args)).toMatchObject({ code: 3, err: expect.stringContaining('none cannot be read: ENOENT') })
    const { code, out, err } = await cli([...args, '--json'])
    expect([code, out, JSON.parse(err)]).toMatchObject([3, '', { error: { code: 'config' } }])
  })
})
