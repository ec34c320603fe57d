import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useModel } from './set-up.js'
import { command, type Outcome, type World } from './test-io.js'
import { key } from './wire.js'

const { home } = useModel({
  fields: 'profile: {prices: {input: 3, output: 15}}',
})
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

describe('prompts check', () => {
  test('prompts check lists the prompts of a folder and what would go wrong in a call', async () => {
    write({
      'good/ask.md': 'Ask {topic}',
      'bad/ask.md': '---\nonParseError: Fix {error}\n---\nAsk {topic}',
    })
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

  test('prompts check leaves out the pages of packages and of git', async () => {
    write({
      'project/prompts/ask.md': 'Ask {topic}',
      'project/node_modules/pack/README.md': 'Use {it',
      'project/prompts/node_modules/README.md': 'Use {it',
      'project/.git/notes.md': 'Use {it',
    })
    const { code, out } = await cli(['prompts', 'check', join(home.path, 'project')])
    expect(out).toMatch(/^prompts\/ask {2}[\da-f]{12} {2}\{topic\}\n$/)
    expect(code).toBe(0)
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
      expect.stringContaining(
        `${join(folder, 'c.md')}: prompt "c", onParseError: nothing fills {error}`,
      ),
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
    expect(await cli(args)).toMatchObject({
      code: 3,
      err: expect.stringContaining('none cannot be read: ENOENT'),
    })
    const { code, out, err } = await cli([...args, '--json'])
    expect([code, out, JSON.parse(err)]).toMatchObject([3, '', { error: { code: 'config' } }])
  })
})
