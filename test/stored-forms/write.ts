// Writes the folder of a version: `pnpm run stored-forms VERSION [--again]`. See README.md.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { toJson } from '@modelport/core'
import { Dialog } from '@modelport/dialog'
import { openPostgresStore } from '@modelport/durable/postgres'
import { openSqliteStore } from '@modelport/durable/sqlite'
import { mcpTools } from '@modelport/mcp'
import { cassetteFetch } from '@modelport/provider-mock/node'
import { createOllama } from '@modelport/provider-ollama'
import { infer } from '@modelport/runtime'
import { findPostgres, startPostgres } from '../../packages/durable/test/support/postgres-server.js'
import {
  ask,
  askingRequest,
  createModel,
  encryptionKey,
  fillStore,
  policyVersion,
  system,
} from './cases.js'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { again: { type: 'boolean' } },
})
const [version = ''] = positionals
if (!/^\d+\.\d+\.\d+$/.test(version)) throw new TypeError('name the version, such as 0.1.0')

const folder = join(import.meta.dirname, version)
const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
if (git('tag', '--list', `@modelport/*@${version}`) !== '')
  throw new Error(`${version} is released: its folder is never written again`)
if (existsSync(folder) && values.again !== true)
  throw new Error(`${folder} is there already; pass --again if ${version} is not released`)

const programs = findPostgres()
if (programs === undefined) throw new Error('install PostgreSQL: a dump of its store is needed')

const temporary = mkdtempSync(join(tmpdir(), 'modelport-stored-forms-'))
const fileOf = (name: string): string => join(folder, name)
const write = (name: string, value: unknown): void =>
  writeFileSync(fileOf(name), `${JSON.stringify(value, undefined, 2)}\n`)

async function writeConversation(): Promise<void> {
  const { transcript } = await infer(createModel(), {
    query: 'Pay invoice 0.',
    tools: askingRequest([]).tools,
  })
  write('conversation.json', toJson(transcript))
}

function writeDialog(): void {
  const dialog = Dialog.seed(system, { field: 'physics' })
    .send(ask, { thing: 'heat' })
    .append({ role: 'assistant', content: 'Motion.' })
    .send('And cold?')
  write('dialog.json', dialog.toJson())
}

async function writeSuspendedRun(): Promise<void> {
  const result = await infer(createModel(), {
    ...askingRequest([]),
    query: 'Pay invoice 5.',
    durable: { policyVersion },
  })
  if (result.status !== 'suspended') throw new Error(`the run is ${result.status}`)
  write('suspended-run.json', result)
}

/** The port stands in the cassette: the reader names the same, and no server is there. */
async function writeCassette(): Promise<void> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/x-ndjson')
    for (const [content, done] of [
      ['It is ', false],
      ['cold.', true],
    ] as const)
      response.write(
        `${JSON.stringify({ model: 'm', message: { role: 'assistant', content }, done, ...(done && { done_reason: 'stop', prompt_eval_count: 5, eval_count: 4 }) })}\n`,
      )
    response.end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))

  const { port } = server.address() as AddressInfo
  const path = fileOf('cassette.json')
  rmSync(path, { force: true })
  const fetch = await cassetteFetch({ path, mode: 'record' })
  const baseUrl = `http://127.0.0.1:${port}`
  const reader = await createOllama({ model: 'm', baseUrl, fetch }).stream('How is Oslo?')
  for await (const _ of reader);
  await fetch.close()
  server.close()
}

async function writeLock(): Promise<void> {
  const lock = fileOf('modelport.lock')
  rmSync(lock, { force: true })
  const weather = mcpTools({
    name: 'weather',
    transport: { command: 'node', args: [join('test', 'stored-forms', 'server.mjs')] },
    lock,
  })
  await weather.tools()
  await weather.close()
}

const configuration = `models:
  - name: main
    provider: openai-compatible
    base_url: http://127.0.0.1:8080/v1
    model: my-model
    fallback: [spare]
    defaults: {temperature: 0, max_tokens: 1000}
    profile: {context_window: 200000, prices: {input: 3, output: 15, cache_read: 0.3}}
  - name: spare
    provider: anthropic
    api_key_env: SPARE_KEY
    model: claude-haiku-4-5
roles:
  chat: main
  sub_agent: spare
`

async function writeSqlite(name: string, key?: Uint8Array): Promise<void> {
  const path = join(temporary, name)
  rmSync(fileOf(name), { force: true })
  const store = await openSqliteStore(path, key && { encryptionKey: key })
  await fillStore(store, () => {
    const database = new DatabaseSync(path)
    database.prepare('VACUUM INTO ?').run(fileOf(name))
    database.close()
    return Promise.resolve()
  })
  await store.close()
}

async function writePostgres(tools: string): Promise<void> {
  const server = await startPostgres(tools)
  try {
    const store = await openPostgresStore(server.url, { schema: 'stored_forms' })
    await fillStore(store, () => {
      const dump = execFileSync(
        join(tools, 'pg_dump'),
        ['--schema=stored_forms', '--no-owner', '--no-privileges', '--inserts', server.url],
        { encoding: 'utf8' },
      )
      // Only psql knows its own commands.
      writeFileSync(fileOf('store.sql'), dump.replaceAll(/^\\.*\n/gm, ''))
      return Promise.resolve()
    })
    await store.close()
  } finally {
    await server.stop()
  }
}

mkdirSync(folder, { recursive: true })
try {
  await writeConversation()
  writeDialog()
  await writeSuspendedRun()
  await writeCassette()
  await writeLock()
  writeFileSync(fileOf('modelport.yaml'), configuration)
  await writeSqlite('store.db')
  await writeSqlite('encrypted.db', encryptionKey)
  await writePostgres(programs)
} finally {
  rmSync(temporary, { recursive: true, force: true })
}
const { length } = readFileSync(fileOf('store.db'))
console.log(`${folder}: written; store.db has ${length} bytes`)
