// What can only be seen of a whole process: a runtime without `__proto__`, and the report Node
// writes of a crash.
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../scripts/workspaces.ts'
import { bundlePrograms } from '../support/bundle.js'
import { startChatServer } from '../support/chat-server.js'
import { reportFault } from '../support/faults.js'
import { node } from '../support/platform.js'
import { apiKey, serve } from './targets.js'

describe.runIf(node)('a process of its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'modelport-process-'))
  let program = ''
  beforeAll(async () => {
    program = (await bundlePrograms(folder, { lone: join(root, 'test/support/lone-program.ts') }))
      .lone
  })
  afterAll(() => {
    rmSync(folder, { recursive: true, maxRetries: 5 })
  })

  const run = async (
    options: readonly string[],
    input: object,
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly out: string; readonly code: number | null }> => {
    const child = spawn(process.execPath, [...options, program], {
      cwd: folder,
      env: { PATH: process.env['PATH'], ...env },
    })
    let out = ''
    child.stdout.on('data', (data) => (out += String(data)))
    child.stderr.on('data', (data) => (out += String(data)))
    child.stdin.end(JSON.stringify({ apiKey, fails: false, ...input }))
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
    return { out, code }
  }

  test('a conversation with a tool works where __proto__ throws', async () => {
    const server = await startChatServer()
    const { out, code } = await run(['--disable-proto=throw'], server)
    server.close()
    expect({ out, code }).toEqual({
      out: expect.stringContaining('"guarded":true') as string,
      code: 0,
    })
    expect(JSON.parse(out)).toMatchObject({ text: 'It is 28 °C and sunny in Rome.', messages: 4 })
    reportFault('T1', { 'conversations without __proto__': 1 })
  })

  test('the report of a crash, and what it prints, have no key', async () => {
    const { url } = await serve((request, response) => {
      const said = request.headers.authorization ?? ''
      response.writeHead(401, { 'content-type': 'application/json', 'x-request-id': apiKey }).end(
        JSON.stringify({
          error: { message: `bad key: ${said} ${btoa(said)} ${encodeURIComponent(said)}` },
        }),
      )
    })
    const options = [
      '--report-uncaught-exception',
      '--report-on-fatalerror',
      `--report-directory=${folder}`,
    ]
    const { out, code } = await run(options, { baseUrl: `${url}/v1`, fails: true })
    expect(code).not.toBe(0)
    const reports = readdirSync(folder).filter((name) => name.startsWith('report'))
    expect(reports).toHaveLength(1)
    const report = readFileSync(join(folder, reports[0] ?? ''), 'utf8')
    expect(out).toContain('401 auth: bad key: Bearer [redacted]')
    expect(report).toContain('401 auth: bad key: Bearer [redacted]')
    for (const shown of [out, report])
      for (const form of [apiKey.slice(0, 12), btoa(`Bearer ${apiKey}`).slice(12, -4)])
        expect(shown).not.toContain(form)
    reportFault('K1', { 'crash reports': 1 })
  })
})
