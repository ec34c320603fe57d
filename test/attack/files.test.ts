import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { command } from '../../packages/cli/test/test-io.js'
import { randomBelow, seed } from '../support/seed.js'
import { attackTimeout, count, tries } from './outcome.js'

let home = ''
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'modelport-attack-'))
  await mkdir(join(home, '.config/modelport'), { recursive: true })
  await mkdir(join(home, '.local/state/modelport/sessions'), { recursive: true })
})
afterAll(() => rm(home, { recursive: true, maxRetries: 5 }))

const config = `models:
  - name: local
    provider: openai-compatible
    model: my-model
    base_url: http://127.0.0.1:1/v1
    profile: { context_window: 4096, prices: { input: 1, output: 1 } }
roles:
  chat: local
`
/** Pieces that break a parser, or that mean more than they seem to. */
const junk = [
  '\0',
  '\u202e',
  '{',
  '}',
  '[',
  '"',
  ': ',
  '\n- ',
  '&a ',
  '*a',
  '!!js/function ',
  '<<: ',
  '9e999',
  '__proto__',
  '\t',
  '\ud800',
  '${HOME}',
  '../../',
  '- '.repeat(3000),
]

/** Every file that the command line reads, the commands that read it, and a whole one. */
const files: readonly (readonly [
  file: string,
  text: string,
  commands: readonly (readonly string[])[],
])[] = [
  ['.config/modelport/config.yaml', config, [['models'], ['hosts'], ['hosts', '--format', 'deno']]],
  ['.config/modelport/keys.env', 'OPENAI_API_KEY=sk-1234567890abcdef\n', [['models'], ['hosts']]],
  [
    '.local/state/modelport/sessions/2026-01-01-abc.json',
    '{"version":1,"messages":[]}',
    [['sessions']],
  ],
]

test.each(files)(
  '%s with changed bytes ends every command with an exit code and one message',
  { timeout: attackTimeout },
  async (file, text, commands) => {
    const below = randomBelow(seed + text.length)
    const rounds = tries(25, 1500)
    const path = join(home, file)
    await writeFile(join(home, '.config/modelport/config.yaml'), config)
    for (let round = 0; round < rounds; round++) {
      const at = below(text.length)
      const changed = text.slice(0, at) + junk[below(junk.length)]! + text.slice(at + below(12))
      await writeFile(path, below(8) === 0 ? Buffer.from(changed, 'utf16le') : changed, {
        mode: 0o600,
      })
      for (const words of commands) {
        const { code, err } = await command(words, { home, stdin: '', environment: {} })
        expect([0, 1, 2, 3, 6, 13, 14, 15, 16, 17], `${err}\n${changed}`).toContain(code)
        expect(err, changed).not.toMatch(/\n\s+at \S+ \(|TypeError|RangeError|\[object Object\]/)
      }
    }
    await rm(path, { force: true })
    count(rounds * commands.length)
  },
)
