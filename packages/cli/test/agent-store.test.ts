// Operator commands on a store: what waits is listed and settled without the code of the agent.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { AgentHost, createAgent, createMessage } from '@modelport/agent'
import { openPostgresStore } from '@modelport/durable/postgres'
import { openSqliteStore } from '@modelport/durable/sqlite'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import type { StoredInfo } from '@modelport/studio'
import { openFileStore } from '@modelport/studio/node'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { shellWords } from '../../../test/support/shell-words.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import {
  findPostgres,
  type PostgresServer,
  startPostgres,
} from '../../durable/test/support/postgres-server.js'
import { buildPage } from '../../studio/build-page.mjs'
import { openStudio } from './open-studio.js'
import { command, type Outcome, startCommand } from './test-io.js'

const principal = 'alice'
let home: string
let file: string
let removed: number
const cli = (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome> => command(['agent', ...args], { home, stdin: '', environment })
const json = async (args: readonly string[]): Promise<Record<string, unknown>> => {
  const { out, err } = await cli([...args, '--json'])
  return JSON.parse(out || err) as Record<string, unknown>
}

beforeEach(() => {
  home = temporaryFolder('home')
  file = join(home, 'agents.db')
  removed = 0
})

/**
 * Runs the agent over the store: with a message until its task waits, without one until that task
 * is over.
 */
async function whileServed(id?: string, callId: string = 'c1'): Promise<string> {
  const store = await openSqliteStore(file, { leaseMs: 4000 })
  const tool = defineTool({
    name: 'remove',
    description: 'Removes',
    execute: () => `removed ${++removed}`,
  })
  const provider = createMock({
    defaultResponse: ({ messages: asked }) =>
      asked.some(({ role }) => role === 'tool')
        ? 'Done.'
        : { text: 'I remove.', toolCalls: [{ id: callId, name: 'remove' }] },
  })
  const host = new AgentHost(
    [
      createAgent({
        card: { name: 'janitor', description: 'Cleans' },
        provider,
        tools: [tool],
        policy: { default: 'require-approval' },
      }),
    ],
    { store },
  )
  try {
    if (id !== undefined) {
      await expect
        .poll(async () => (await host.get({ principal, id })).task.state)
        .toBe('completed')
      return id
    }
    const { task, before } = await host.send({
      agent: 'janitor',
      principal,
      message: createMessage('user', 'Clean'),
    })
    await host.settled({ principal, id: task.id }, before)
    return task.id
  } finally {
    await host.drain(1000)
    await store.close()
  }
}

describe('studio --store', () => {
  beforeAll(() => buildPage(new URL('../../studio/dist/page', import.meta.url).pathname))

  test('studio --store lists what waits with the commands that end it, and the budgets of the store', async () => {
    const id = await whileServed()
    const store = await openSqliteStore(file)
    await store.budgets.set('ada', { window: 'day', maxCost: 5 })
    await store.close()
    const { running, ask } = await openStudio(['--store', file, '--memory'], { home })
    const { waits, budgets } = await ask<StoredInfo>('/api/stored')
    expect(await ask('/api/info')).toMatchObject({ durableStore: true })
    expect(budgets).toMatchObject([{ owner: 'ada', window: 'day', maxCost: 5, used: { calls: 0 } }])
    const [wait, ...others] = waits
    expect(others).toEqual([])
    expect(wait).toMatchObject({
      ...{ kind: 'approval', id, name: 'janitor', principal, call: { name: 'remove' } },
      who: 'a caller who may approve decides, or an operator:',
    })
    // The command that is shown ends the wait, as it is.
    const [approve = ''] = wait?.commands ?? []
    const words = shellWords(approve)
    expect(words.slice(0, 3)).toEqual(['modelport', 'agent', 'approve'])
    expect((await cli(words.slice(2))).code).toBe(0)
    expect((await ask<StoredInfo>('/api/stored')).waits).toEqual([])
    running.interrupt()
    expect((await running.done).code).toBe(0)
  })

  test('studio --store refuses a file that has no store', async () => {
    const { code, err } = await command(['studio', '--store', join(home, 'none.db')], { home })
    expect(code).not.toBe(0)
    expect(err).toContain('none.db')
  })
})

describe('agent tasks --store', () => {
  test('agent tasks --store lists a waiting task with its call, and an approval of it is applied by the next process', async () => {
    const id = await whileServed()
    const { out } = await cli(['tasks', '--store', file])
    expect(out).toMatch(
      new RegExp(`^task {2}${id} {2}input-required {2}\\S+ {2}janitor {2}alice\\n`),
    )
    expect(out).toContain('approval')
    expect(out).toContain('"tool":"remove"')
    expect(out).toContain(`modelport agent approve ${id} --request ${id}.1:c1 --store ${file}`)
    expect(await cli(['approve', id, '--store', file])).toMatchObject({ code: 0 })
    await whileServed(id)
    expect(removed).toBe(1)
    expect((await cli(['tasks', '--store', file])).out).toBe('nothing is open in this store\n')
    expect((await cli(['tasks', '--store', file, '--all'])).out).toContain('completed')
  })

  test('agent tasks --store prints commands that a shell can run, whatever the ids and the path contain', async () => {
    file = join(home, "my agent's.db")
    const id = await whileServed(undefined, "c'; touch x; $(id) $& #")
    const { out } = await cli(['tasks', '--store', file])
    const line = out.split('\n').find((one) => one.includes('modelport agent approve')) ?? ''
    const words = shellWords(line.trim())
    expect(words).toEqual([
      'modelport',
      'agent',
      'approve',
      id,
      '--request',
      `${id}.1:c'; touch x; $(id) $& #`,
      '--store',
      file,
    ])
    expect(await cli(words.slice(2))).toMatchObject({ code: 0 })
    await whileServed(id)
    expect(removed).toBe(1)
  })

  test('agent tasks --store says that there may be more than it shows', async () => {
    await whileServed()
    await whileServed()
    expect((await cli(['tasks', '--store', file, '--limit', '1'])).err).toBe('--limit shows more\n')
    expect((await cli(['tasks', '--store', file])).err).toBe('')
  })

  test('agent tasks --store takes the file from an environment variable, and no store that does not exist', async () => {
    await whileServed()
    const { out } = await cli(['tasks', '--store-env', 'AGENTS', '--json'], { AGENTS: file })
    expect((JSON.parse(out) as { items: unknown[] }).items).toHaveLength(1)
    const other = join(home, 'other.db')
    expect(await cli(['tasks', '--store', other])).toMatchObject({
      code: 5,
      err: `error (not-found): "${other}" does not exist; name the file of a store\n`,
    })
    expect(existsSync(other)).toBe(false)
  })

  test('agent tasks --store refuses a password in the arguments, and a URL together with a store', async () => {
    const { code, err } = await cli([
      'tasks',
      '--store',
      'postgres://user:secret@db.example/agents',
    ])
    expect(code).toBe(2)
    expect(err).toContain('pass --store-env')
    expect(err).not.toContain('secret@')
    expect((await cli(['tasks', 'http://127.0.0.1:1', '--store', file])).code).toBe(2)
    expect((await cli(['tasks'])).err).toContain('give the URL of an agent or --store')
  })
})

describe('agent forget', () => {
  test('agent forget removes what a caller said, also a task that waits, and says what is out of reach', async () => {
    await whileServed()
    expect(await cli(['forget', 'nobody', '--store', file])).toMatchObject({
      code: 0,
      out: expect.stringContaining('forgot nobody: 0 tasks, 0 conversations\n') as string,
    })
    expect((await cli(['forget', principal, '--store', file])).out).toBe(
      'forgot alice: 1 task, 1 conversation\nout of reach: runs without an owner, studios, back-ups, cassettes, logs, vendors\n',
    )
    expect((await cli(['tasks', '--store', file, '--all'])).out).toBe('nothing is stored here\n')
  })

  test('agent forget --studio leaves nothing of the caller in the file of a studio', async () => {
    const id = await whileServed()
    const path = join(home, 'studio.db')
    const studio = openFileStore(path)
    onTestFinished(() => studio.close())
    const save = (runId: string, taskId: string, text: string) =>
      studio.save({
        id: runId,
        at: Date.now(),
        model: 'task janitor',
        title: text,
        status: 'final',
        messages: [{ role: 'user', content: text }],
        task: { taskId, sessionId: 's', isWaiting: false },
      })
    await save('run-1', id, 'canary-7f3a91')
    await save('run-2', 'another', 'kept words')
    const bytes = () => readFileSync(path, 'latin1') + readFileSync(`${path}-wal`, 'latin1')
    expect(bytes()).toContain('canary-7f3a91')

    const { out } = await cli(['forget', principal, '--store', file, '--studio', path])
    expect(out).toContain('forgot alice: 1 task, 1 conversation, 1 run of the studio\n')
    expect(bytes()).not.toContain('7f3a91')
    expect(bytes()).toContain('kept words')
    expect(await cli(['forget', principal, '--store', file, '--studio', 'none.db'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--studio none.db does not exist') as string,
    })
  })
})

describe('agent serve --store', () => {
  test('agent serve --store names a port that is taken, and closes the store', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    const module = join(home, 'agent.mjs')
    const { card } = createAgent({
      card: { name: 'echo', description: 'Repeats' },
      handler: () => '',
    })
    writeFileSync(
      module,
      `const card = ${JSON.stringify(card)}
export default { name: 'echo', card, settings: { card: { name: 'echo', description: 'Repeats' }, handler: () => '' } }`,
    )
    const { code, err } = await cli(['serve', module, '--store', file, '--port', String(port)])
    other.close()
    expect(code).toBe(3)
    expect(err).toBe(
      `error (config): port ${port} of 127.0.0.1 is in use by another program; choose another port, or port 0 for a free one\n`,
    )
    // SQLite removes its log when the last connection is closed.
    expect([existsSync(file), existsSync(`${file}-wal`)]).toEqual([true, false])
  })
})

describe('agent approve, reconcile and resume', () => {
  test('a denied call is not executed', async () => {
    const id = await whileServed()
    await cli(['approve', id, '--deny', 'too much', '--store', file])
    await whileServed(id)
    expect(removed).toBe(0)
  })

  test('agent approve, reconcile and resume refuse what does not fit: no outcome, another call, a task that is over or unknown', async () => {
    const id = await whileServed()
    expect(await cli(['reconcile', id, '--store', file])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--happened RESULT, --did-not-happen or --give-up'),
    })
    expect(await cli(['reconcile', id, '--happened', 'RESULT', '--store', file])).toMatchObject({
      code: 2,
      err: 'error: --happened RESULT: write what the call returned in place of RESULT\n',
    })
    expect(await cli(['approve', id, '--deny', 'REASON', '--store', file])).toMatchObject({
      code: 2,
    })
    expect(await cli(['reconcile', id, '--give-up', '--store', file])).toMatchObject({
      code: 6,
      err: expect.stringContaining('approve or deny it'),
    })
    expect(await cli(['approve', id, '--request', 'other', '--store', file])).toMatchObject({
      code: 6,
    })
    expect(await cli(['resume', 'task_none', '--store', file])).toMatchObject({ code: 5 })
    expect(await json(['resume', id, '--store', file])).toEqual({ resumed: id })
    await cli(['approve', id, '--store', file])
    await whileServed(id)
    expect(await cli(['resume', id, '--store', file])).toMatchObject({
      code: 6,
      err: expect.stringContaining('send its message again'),
    })
    expect((await cli(['approve', id, '--store', file])).err).toContain(
      'waits for nothing; it was decided already',
    )
  })

  test('agent approve, reconcile and resume say what is wrong with a store in their own words, without a hint about networks', async () => {
    const letter = join(home, 'letter.db')
    writeFileSync(letter, 'Dear reader, '.repeat(1000))
    expect((await cli(['tasks', '--store', letter])).err).toBe(
      `error (protocol): the store "${letter}" is not a SQLite database; choose another file\n`,
    )
    expect(
      (await cli(['tasks', '--store', 'postgres://127.0.0.1:1/x'])).err.trim().split('\n'),
    ).toHaveLength(1)
  })
})

describe('agent cancel', () => {
  test('agent cancel ends a waiting task with a reason, and refuses an id that the store does not have', async () => {
    const id = await whileServed()
    expect(await cli(['cancel', id, '--reason', 'too late', '--store', file])).toMatchObject({
      code: 0,
      out: `${id} is cancelled\n`,
    })
    expect((await cli(['tasks', '--store', file, '--all'])).out).toContain(`${id}  cancelled`)
    expect((await cli(['approve', id, '--store', file])).code).toBe(6)
    const unknown = await cli(['cancel', 'nobody', '--store', file])
    expect(unknown).toMatchObject({
      code: 5,
      err: 'error (not-found): there is no task or run "nobody" in this store\n',
    })
  })
})

describe('agent prune', () => {
  test('prune counts with --dry-run, and removes only what is over and old', async () => {
    const id = await whileServed()
    await cli(['approve', id, '--store', file])
    await whileServed(id)
    expect(await json(['prune', '--older-than', '1d', '--store', file])).toMatchObject({ tasks: 0 })
    expect(
      (await cli(['prune', '--older-than', '0m', '--dry-run', '--store', file])).out,
    ).toContain('would remove 1')
    expect((await cli(['prune', '--older-than', '0m', '--store', file])).out).toContain(
      'removed 1 task, 0 runs',
    )
    expect((await cli(['tasks', '--store', file, '--all'])).out).toBe('nothing is stored here\n')
    expect((await cli(['prune', '--older-than', 'soon', '--store', file])).code).toBe(2)
  })
})

describe('agent serve --store', () => {
  test('agent serve --store opens the store and keeps tasks in it', async () => {
    const module = join(home, 'agents.mjs')
    const card = JSON.stringify(
      createAgent({ card: { name: 'echo', description: 'E' }, handler: () => '' }).card,
    )
    writeFileSync(
      module,
      `export default { name: 'echo', card: ${card}, settings: { card: { name: 'echo', description: 'E' }, handler: ({ input }) => input } }`,
    )
    let onUrl: (url: string) => void = () => undefined
    const url = new Promise<string>((resolve) => (onUrl = resolve))
    const running = startCommand(['agent', 'serve', module, '--store', file], {
      home,
      stdin: '',
      onOutput: (text) => onUrl(/http:\/\/\S+/.exec(text)?.[0] ?? ''),
    })
    expect((await cli(['send', await url, 'hello'])).out).toBe('hello\n')
    running.interrupt()
    expect((await running.done).code).toBe(0)
    expect((await cli(['tasks', '--store', file, '--all'])).out).toContain('completed')
  })
})

const programs = findPostgres()
describe.skipIf(programs === undefined)('--schema', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres(programs!)
  }, 180_000)
  afterAll(() => server.stop())

  test.each(['tasks', 'approve x', 'resume x', 'prune --older-than 1d'])(
    'agent %s names the schemas with a store when --schema is mistyped, and makes none',
    async (words) => {
      await (await openPostgresStore(server.url, { schema: 'agents' })).close()
      const typo = [...words.split(' '), '--store', server.url, '--schema', 'agnets']
      const refused = {
        code: 5,
        err: 'error (not-found): the PostgreSQL schema "agnets" holds no store; schemas that do: agents\n',
      }
      expect(await cli(typo)).toMatchObject(refused)
      expect(await cli(typo)).toMatchObject(refused)
    },
  )
})
