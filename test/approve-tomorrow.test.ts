// The script of docs/guides/approve-tomorrow.md asks in one process and continues in another, from
// its file.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openaiChat } from '@modelport/conformance'
import { startWireServer, type WireServer } from '@modelport/conformance/wire-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../scripts/workspaces.ts'
import { bundlePrograms } from './support/bundle.js'
import { docBlocks } from './support/doc-blocks.js'
import { runProgram } from './support/program.js'

const usage = { inputTokens: 12, outputTokens: 5 }
const sources = mkdtempSync(join(root, '.cache/approve-'))
let folder: string
let server: WireServer
let program: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'modelport-approve-'))
  server = await startWireServer({
    formats: [openaiChat],
    reply: (request, { format }) => {
      // The server says nothing of tool calls, so actions are asked for as JSON, and results come
      // in the user's role.
      const last = format.read(request).messages.at(-1)
      const text = last && 'text' in last ? last.text : ''
      const say = (action: object) =>
        ({ text: [JSON.stringify(action)], finish: 'stop', usage }) as const
      if (text.includes('tool_result')) return say({ type: 'final', content: 'The rent is paid.' })
      if (text.includes('tool_error')) return say({ type: 'final', content: 'Not paid.' })
      return say({ type: 'tool_call', tool: 'transfer', args: { to: 'landlord', euros: 800 } })
    },
  })
  const [block] = docBlocks('docs/guides/approve-tomorrow.md')
  const code = block?.code.replace('http://127.0.0.1:8080/v1', server.url) ?? ''
  const entry = join(sources, 'pay.ts')
  writeFileSync(entry, code)
  program = (await bundlePrograms(sources, { pay: entry })).pay
})
afterAll(async () => {
  await server.close()
  for (const place of [folder, sources])
    rmSync(place, { recursive: true, maxRetries: 5, force: true })
})

async function pay(...args: readonly string[]): Promise<string> {
  const { stdout, stderr, status } = await runProgram(process.execPath, [program, ...args], {
    cwd: folder,
  })
  expect(status, stderr + stdout).toBe(0)
  return stdout.trim()
}

const waiting =
  'waiting for a decision: {"type":"tool_call","tool":"transfer","args":{"to":"landlord","euros":800}}'

test('a yes in another process executes the call once, and the model is not asked again for it', async () => {
  const before = server.requests.length
  expect(await pay()).toBe(waiting)
  expect(await pay()).toBe(waiting)
  expect(await pay('yes')).toMatch(
    /^transferring 800 to landlord \(run_[-\w]+\/transfer\/[0-9a-f]{16}\/0\)\nThe rent is paid\.$/,
  )
  expect(existsSync(join(folder, 'transfer.json'))).toBe(false)
  expect(server.requests.length - before).toBe(2)
})

test('a no in another process executes nothing, and the model reads why', async () => {
  expect(await pay()).toBe(waiting)
  expect(await pay('no')).toBe('Not paid.')
})
