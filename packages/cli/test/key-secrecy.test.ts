import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { canSeeProcesses, ProcessWatch } from './process-tree.js'
import { PseudoTerminal } from './pseudo-terminal.js'
import { useModel } from './set-up.js'
import { configure, key, writeTools } from './wire.js'

if (!canSeeProcesses)
  console.log(
    'key-secrecy.test.ts: skipped, the arguments of processes can be read in /proc on Linux only',
  )

const enter = '\r'
const { home, server } = useModel()
let terminal: PseudoTerminal | undefined
let watch: ProcessWatch | undefined

async function start(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<{ shown: PseudoTerminal; watch: ProcessWatch }> {
  const shown = (terminal = await PseudoTerminal.start(args, home.path, variables))
  return { shown, watch: (watch = new ProcessWatch(shown.pid)) }
}

/** Every file below the folder that holds the key. */
function filesWithKey(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  )
  return files.filter((name) => readFileSync(join(folder, name)).includes(key))
}

/** The program was seen; no argument of it, and nothing of a process it started, holds the key. */
function expectHidden({ seen }: ProcessWatch, root: number): void {
  expect(seen.some(({ pid, arguments: args }) => pid === root && args.includes('main.js'))).toBe(
    true,
  )
  expect(seen.filter(({ arguments: args }) => args.includes(key))).toEqual([])
  expect(seen.filter(({ pid, environment }) => pid !== root && environment.includes(key))).toEqual(
    [],
  )
}

describe.runIf(canSeeProcesses)(
  'a key is in no argument of a process, no environment of a child, no file but its own',
  () => {
    afterEach(() => {
      watch?.stop()
      terminal?.kill()
    })

    test('the watch sees what it looks for, in children of children too', async () => {
      const script = `require('node:child_process').spawnSync('sleep', ['30'], { argv0: 'sleep-${key}' })`
      const child = spawn(process.execPath, ['-e', script], { env: { OTHER: key } })
      const watching = (watch = new ProcessWatch(child.pid ?? 0))
      try {
        await expect
          .poll(() =>
            watching.seen.some(
              ({ pid, arguments: args }) => pid !== child.pid && args.startsWith(`sleep-${key}`),
            ),
          )
          .toBe(true)
        expect(
          watching.seen.some(
            ({ pid, environment }) => pid !== child.pid && environment.includes(key),
          ),
        ).toBe(true)
      } finally {
        for (const pid of new Set(watching.seen.map((one) => one.pid))) process.kill(pid, 'SIGKILL')
      }
    })

    test('a process that was only forked is not judged by what its parent holds', async () => {
      const child = spawn('/bin/sh', ['-c', '(read line <&3) & echo $!; wait'], {
        env: { OTHER: key },
        stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
      })
      const watching = (watch = new ProcessWatch(child.pid ?? 0))
      try {
        const forked = Number(await new Promise((resolve) => child.stdout?.once('data', resolve)))
        watching.look()
        expect(readFileSync(`/proc/${forked}/environ`, 'utf8')).toContain(key)
        expect(new Set(watching.seen.map(({ pid }) => pid))).toEqual(new Set([child.pid]))
      } finally {
        child.stdio[3]?.destroy()
        child.kill('SIGKILL')
      }
    })

    test('a key that is typed into init is in its own file only', async () => {
      const { shown, watch: watching } = await start([
        'init',
        '--provider',
        'openai-compatible',
        '--base-url',
        `${server.url}/v1`,
      ])
      await shown.shows('Key of openai-compatible')
      shown.type(`${key}${enter}`)
      await shown.shows('Where to keep the key?')
      shown.type(enter)
      await shown.shows('Which model?')
      watching.look()
      shown.type(enter)
      expect(await shown.ended()).toBe(0)
      expectHidden(watching, shown.pid)
      expect(watching.seen.filter(({ environment }) => environment.includes(key))).toEqual([])
      expect(shown.raw).not.toContain(key)
      expect(filesWithKey(home.path)).toEqual(['.config/modelport/keys.env'])
      expect(server.requests.some(({ headers }) => JSON.stringify(headers).includes(key))).toBe(
        true,
      )
    })

    test('a key of the environment is shown nowhere and kept nowhere by doctor', async () => {
      configure(home.path, server.url)
      const { shown, watch: watching } = await start(['doctor'], { MY_KEY: key })
      expect(await shown.ended()).toBe(0)
      expectHidden(watching, shown.pid)
      expect(shown.raw).not.toContain(key)
      expect(filesWithKey(home.path)).toEqual([])
    })

    test('a chat that is saved and recorded, with a tool, keeps no key that the user types', async () => {
      configure(home.path, server.url)
      const { shown, watch: watching } = await start(
        ['chat', '--record', 'chat.json', '--tools', writeTools(home.path), '--allow-tools'],
        { MY_KEY: key },
      )
      await shown.shows(/^>/m)
      shown.type(`Is ${key} warm?${enter}`)
      await shown.shows('24 in')
      watching.look()
      await shown.shows(/^>/m, 2)
      shown.type('\u0004')
      expect(await shown.ended()).toBe(0)
      expectHidden(watching, shown.pid)
      expect(readdirSync(home.path).sort()).toEqual(['.config', '.local', 'chat.json', 'tools.mjs'])
      expect(filesWithKey(home.path)).toEqual([])
    })
  },
)
