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
  test('calls an agent of the configuration and shows its states', async () => {
    const file = configOf(home.path)
    writeFileSync(file, `${readFileSync(file, 'utf8')}agents:\n  writer:\n    model: main\n    temperature: 0.1\n`)
    const { code, out, err } = await cli(['dialog', 'call', 'writer', '--task', 'plain', '--usage'])
    expect([code, out]).toEqual([0, 'Plain text\n'])
    expect(err).toContain('state: calling\nstate: success\n')
    expect(server.requests.at(-1)?.body).toMatchObject({ temperature: 0.1 })
  })

  test('reads agents from TOML and prompts next to it, and prints the value as data', async () => {
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

  test('names file and line of a wrong agent, and the agents there are', async () => {
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
  test('lists the prompts of a folder and what would go wrong in a call', async () => {
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
    write({ 'broken/ask.md': 'Ask {' })
    expect(await cli(['prompts', 'check', join(home.path, 'broken')])).toMatchObject({
      code: 3,
      err: expect.stringContaining('ask.md, line 1, column 5'),
    })
    expect((await cli(['prompts', 'check', join(home.path, 'broken'), '--json'])).code).toBe(20)
  })
})
