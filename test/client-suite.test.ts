// The suite for clients, with ours at every wire and with a client that has no library.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { startSuiteServer } from '@modelport/conformance/wire-server'
import { expect, test } from 'vitest'
import { runProgram } from './support/program.js'
import { root } from './support/repository.js'

const hasPython = spawnSync('python3', ['--version']).status === 0

/** What failed and what was not observed, a line each. */
const lost = (reports: Awaited<ReturnType<typeof startSuiteServer>>['reports']): string[] =>
  reports().flatMap(({ client, wire, checks, missing }) => [
    ...checks
      .filter(
        ({ state, group }) => state === 'failed' && (client === 'modelport' || group !== 'ours'),
      )
      .map(({ title, rule, found }) => `${client} ${wire}: ${title}: ${rule}: ${found}`),
    ...missing.map((id) => `${client} ${wire}: ${id} was not observed`),
  ])

test('modelport keeps every rule of the suite for clients, ours included', async () => {
  const server = await startSuiteServer()
  try {
    const sources = join(root, 'scripts/sources.mjs')
    const main = join(root, 'bench/suite/main.mjs')
    const { stderr, status } = await runProgram(
      process.execPath,
      ['--import', sources, main, '--suite', server.url, 'modelport'],
      { cwd: root },
    )
    expect(status, stderr).toBe(0)
    expect(lost(server.reports)).toEqual([])
    expect(server.reports().map(({ wire }) => wire)).toEqual([
      'chat',
      'responses',
      'messages',
      'gemini',
      'ollama',
    ])
  } finally {
    await server.close()
  }
})

test.skipIf(!hasPython)(
  'a client in Python without a library keeps every rule that counts',
  async () => {
    const server = await startSuiteServer()
    try {
      const driver = join(root, 'bench/suite/drivers/chat.py')
      const { stderr, status } = await runProgram('python3', [driver, server.url], { cwd: root })
      expect(status, stderr).toBe(0)
      expect(lost(server.reports)).toEqual([])
      expect(server.reports()).toHaveLength(1)
    } finally {
      await server.close()
    }
  },
)

test('the program serves the cases until it is stopped, and else says how it is used', async () => {
  const program = [
    '--import',
    join(root, 'scripts/sources.mjs'),
    join(root, 'packages/conformance/src/main.ts'),
  ]
  const wrong = await runProgram(process.execPath, [...program, 'server'], { cwd: root })
  expect([wrong.status, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('usage: npx @modelport/conformance serve'),
  ])
  const serving = spawn(process.execPath, [...program, 'serve', '--port', '0'], { cwd: root })
  try {
    const [help] = (await once(serving.stdout, 'data')) as [Buffer]
    const [url = ''] = /http:\S+\/cases\?wire=chat/.exec(String(help)) ?? []
    const { cases } = (await (await fetch(url)).json()) as { readonly cases: readonly object[] }
    expect(cases[0]).toMatchObject({ id: 'text-stream', wire: 'chat', stream: true, retries: 0 })
  } finally {
    serving.kill()
  }
})

test.skipIf(process.platform === 'win32')(
  'the program ends with npx, which is stopped without a word to it',
  async () => {
    const script = '"$0" "$@" & echo $! >&2; wait'
    const args = [
      '--import',
      join(root, 'scripts/sources.mjs'),
      join(root, 'packages/conformance/src/main.ts'),
      'serve',
      '--port',
      '0',
    ]
    const npx = spawn('sh', ['-c', script, process.execPath, ...args], {
      cwd: root,
      env: { ...process.env, npm_command: 'exec' },
    })
    const [pid] = (await once(npx.stderr, 'data')) as [Buffer]
    try {
      await once(npx.stdout, 'data')
      // The output is at its end when the program is, which has it open.
      const ended = once(npx.stdout, 'end')
      npx.kill('SIGKILL')
      await ended
    } finally {
      if (isRunning(Number(pid))) process.kill(Number(pid))
    }
  },
)

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
