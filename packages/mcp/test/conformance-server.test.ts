// The server's half of the official conformance suite: every scenario of both versions, which takes
// some seconds.
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { bundlePrograms } from '../../../test/support/bundle.js'

const run = promisify(execFile)
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'mcp-conformance-server-'))
const { server } = await bundlePrograms(folder, { server: here('conformance/server.ts') })
const child = spawn(process.execPath, [server], { stdio: ['ignore', 'pipe', 'inherit'] })
afterAll(() => {
  child.kill()
  rmSync(folder, { recursive: true })
})
const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
const { value: url = '' } = await lines.next()

const suites = {
  '2025-11-25': here('../node_modules/mcp-conformance-2025/dist/index.js'),
  '2026-07-28': here('../node_modules/mcp-conformance-2026/dist/index.js'),
}
type Version = keyof typeof suites

/**
 * Extensions that this server does not have: tasks as a protocol, skills. "Extensions are always
 * optional."
 */
const leftOut = /^(?:tasks-|sep-2640-)/

const optional =
  '"Other components MAY be implemented based on the specific needs of the application" (basic): it has no'
const noLogs = `${optional} log messages, which are deprecated`
const noSampling = `${optional} sampling and no roots, which are deprecated`
const noSubscriptions =
  '"Both subscribe and listChanged are optional—servers can support neither, either, or both" (server/resources)'
/** What is not passed, each with the sentence of the specification, and the checks that fail. */
const exceptions: Readonly<
  Record<Version, Readonly<Record<string, readonly [reason: string, failed: number]>>>
> = {
  '2025-11-25': {
    'logging-set-level': [noLogs, 1],
    'tools-call-with-logging': [noLogs, 1],
    'completion-complete': [`${optional} completion`, 1],
    'tools-call-sampling': [noSampling, 1],
    'resources-subscribe': [noSubscriptions, 1],
    'resources-unsubscribe': [noSubscriptions, 1],
  },
  '2026-07-28': {
    'completion-complete': [`${optional} completion`, 1],
    'server-stateless': [
      `${noSampling}; a tool that asks a client without elicitation gets -32021 for that`,
      1,
    ],
    'input-required-result-basic-sampling': [noSampling, 1],
    'input-required-result-basic-list-roots': [noSampling, 1],
    'input-required-result-multiple-input-requests': [noSampling, 1],
    'input-required-result-capability-check': [noSampling, 1],
    'input-required-result-non-tool-request': [`${optional} prompts that ask`, 1],
    'input-required-result-basic-elicitation': [
      'it demands the key "user_name": "Keys are server-assigned identifiers" (schema, InputRequests)',
      1,
    ],
  },
}
/** A model is not shown which dialect its schema is written in. */
const dialect = [
  '"When $schema is absent, the schema defaults to JSON Schema 2020-12" (basic)',
  1,
] as const

test.each(Object.keys(suites) as Version[])(
  'the server passes the conformance suite of %s',
  async (version) => {
    const { stdout: list } = await run(process.execPath, [suites[version], 'list', '--server'])
    const listed = [...list.matchAll(/^ +- (\S+) \[(.*)\]$/gm)].flatMap(
      ([, name = '', versions = '']) => (versions.split(',').includes(version) ? [name] : []),
    )
    expect(listed.length).toBeGreaterThan(30)
    const args = ['server', '--url', url, '--suite', 'all', '--spec-version', version, '-o', folder]
    const { stdout } = await run(process.execPath, [suites[version], ...args]).catch(
      (error: unknown) => error as { readonly stdout: string },
    )
    const found = [...stdout.matchAll(/^[✓✗] (\S+): \d+ passed, (\d+) failed$/gm)]
      .map(([, name = '', failed]) => [name, Number(failed)] as const)
      .filter(([name]) => !leftOut.test(name))
    expect(found.map(([name]) => name)).toEqual(expect.arrayContaining(listed))
    const expected = { ...exceptions[version], 'json-schema-2020-12': dialect }
    expect(Object.fromEntries(found.filter(([, failed]) => failed)), stdout).toEqual(
      Object.fromEntries(Object.entries(expected).map(([name, [, failed]]) => [name, failed])),
    )
  },
  120_000,
)
