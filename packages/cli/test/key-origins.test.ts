import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openaiChat } from '@modelport/conformance'
import { startWireServer, type WireServer } from '@modelport/conformance/wire-server'
import { providerRows } from '@modelport/factory'
import { anthropicMessages, gemini, ollamaChat, openaiResponses } from '@modelport/test-formats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { command } from './test-io.js'
import { configOf } from './wire.js'

const rows = providerRows.filter(({ offline, name }) => !offline && name !== 'vertex')
const keyNames = [...new Set(rows.flatMap(({ keyEnv }) => keyEnv))]
const addressNames = [...new Set(rows.flatMap(({ baseUrlEnv = [] }) => baseUrlEnv))]
const canary = (name: string): string => `canary-${name.toLowerCase()}-0123456789`

let servers: readonly WireServer[]
beforeAll(async () => {
  const formats = [anthropicMessages, openaiResponses, gemini, ollamaChat, openaiChat]
  servers = await Promise.all(
    [0, 1].map(() =>
      startWireServer({ formats, reply: [{ text: ['OK'], finish: 'stop', usage: {} }] }),
    ),
  )
})
afterAll(() => Promise.all(servers.map((server) => server.close())))

const cases = fc.record({
  row: fc.constantFrom(...rows),
  place: fc.constantFrom(0, 1),
  apiKeyEnv: fc.option(fc.constantFrom('MINE', 'NOT_SET', ...keyNames), {
    nil: undefined,
    freq: 2,
  }),
  companion: fc.option(
    fc.record({ name: fc.constantFrom(...addressNames), place: fc.constantFrom(0, 1) }),
  ),
  words: fc.constantFrom(['complete', 'Hi'], ['doctor', '--until', 'model', '--timeout', '20']),
})

test('complete and doctor send no key to a server that it was not given for', async () => {
  const home = temporaryFolder('home')
  mkdirSync(join(home, '.config/modelport'), { recursive: true, mode: 0o700 })
  let sent = 0
  await fc.assert(
    fc.asyncProperty(cases, async ({ row, place, apiKeyEnv, companion, words }) => {
      const [one, other] = servers as [WireServer, WireServer]
      const urlOf = (index: number): string => (index ? other : one).url
      const variables: Record<string, string> = Object.fromEntries(
        [...keyNames, 'MINE'].map((name) => [name, canary(name)]),
      )
      if (companion) variables[companion.name] = urlOf(companion.place)
      const fields = {
        name: 'main',
        provider: row.name,
        model: 'm',
        base_url: urlOf(place),
        api_key_env: apiKeyEnv,
      }
      writeFileSync(configOf(home), JSON.stringify({ models: [fields], roles: { chat: 'main' } }), {
        mode: 0o600,
      })
      const before = servers.map(({ requests }) => requests.length)
      const { out, err } = await command(words, { home, stdin: '', environment: variables })
      expect(out + err).not.toContain('canary-')
      const named = apiKeyEnv === undefined ? undefined : [apiKeyEnv]
      const own =
        companion?.place === place && row.baseUrlEnv?.includes(companion.name) ? row.keyEnv : []
      for (const [index, { requests }] of servers.entries()) {
        const told = JSON.stringify(requests.slice(before[index]))
        const reached = [...keyNames, 'MINE'].filter((name) => told.includes(canary(name)))
        sent += reached.length
        expect(
          reached.filter((name) => index !== place || !(named ?? own).includes(name)),
          row.name,
        ).toEqual([])
      }
    }),
    { numRuns: 60 },
  )
  expect(sent).toBeGreaterThan(5)
})
