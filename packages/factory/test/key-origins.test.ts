import { expect, test } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'
import {
  apiHosts,
  type ModelConfig,
  newProvider,
  type ProviderRow,
  providerRows,
} from '../src/index.js'
import { environmentOf, recordingFetch } from './support.js'

const rows = providerRows.filter(({ offline }) => !offline)
const keyNames = [...new Set(rows.flatMap(({ keyEnv }) => keyEnv))]
const addressNames = [...new Set(rows.flatMap(({ baseUrlEnv = [] }) => baseUrlEnv))]
const canary = (name: string): string => `canary-${name.toLowerCase()}-0123456789`
const elsewhere = [
  'http://elsewhere.test:9999',
  'https://elsewhere.test/v1',
  'http://127.0.0.1:9',
  'http://localhost:11435',
]

/** Addresses that resemble a vendor's own: another scheme, port, subdomain, or a longer name. */
const nearBy = (address: string): string[] => {
  const { hostname, host, pathname, protocol } = new URL(address)
  return [
    `${protocol === 'https:' ? 'http' : 'https'}://${host}${pathname}`,
    `${protocol}//${hostname}:8443${pathname}`,
    `${protocol}//evil.${host}${pathname}`,
    `${protocol}//${hostname}.evil.test${pathname}`,
  ]
}
const usual = rows.flatMap(({ baseUrl }) => (typeof baseUrl === 'string' ? [baseUrl] : []))
const addresses = [
  ...new Set([
    ...usual,
    ...usual.flatMap(nearBy),
    ...elsewhere,
    'https://ollama.com',
    'https://r.openai.azure.com',
  ]),
]
const ownOf = ({ name, baseUrl, selfHosted, baseUrlEnv }: ProviderRow): string[] => {
  if (typeof baseUrl !== 'string' || (selfHosted && !baseUrlEnv)) return []
  const more: Record<string, string[]> = {
    openai: ['https://us.api.openai.com', 'https://eu.api.openai.com'],
    ollama: ['https://ollama.com'],
  }
  return [baseUrl, ...(more[name] ?? [])].map((one) => new URL(one).origin)
}

/** The rule, said again: which variables may reach which origin. */
function mayReach(
  row: ProviderRow,
  config: ModelConfig,
  variables: Record<string, string>,
  origin: string,
): string[] {
  if (config.apiKeyEnv) return [config.apiKeyEnv]
  const companions = (row.baseUrlEnv ?? []).flatMap((name) => variables[name] ?? [])
  return [...ownOf(row), ...companions.map((one) => new URL(one).origin)].includes(origin)
    ? [...row.keyEnv]
    : []
}

const cases = fc.record({
  row: fc.constantFrom(...rows),
  baseUrl: fc.option(fc.constantFrom(...addresses), { nil: undefined }),
  apiKeyEnv: fc.option(fc.constantFrom('MINE', 'NOT_SET', ...keyNames), {
    nil: undefined,
    freq: 3,
  }),
  useEnvironmentBaseUrls: fc.boolean(),
  set: fc.subarray(keyNames, { minLength: 5 }),
  companions: fc.dictionary(fc.constantFrom(...addressNames), fc.constantFrom(...addresses), {
    maxKeys: 4,
  }),
})

test('no key reaches an origin that it was not given for, for any provider, variables and address', async () => {
  let sent = 0
  await fc.assert(
    fc.asyncProperty(
      cases,
      async ({ row, baseUrl, apiKeyEnv, useEnvironmentBaseUrls, set, companions }) => {
        const variables = {
          ...Object.fromEntries([...set, 'MINE'].map((name) => [name, canary(name)])),
          ...companions,
        }
        const recorder = recordingFetch()
        const config: ModelConfig = {
          provider: row.name,
          model: 'm',
          useEnvironmentBaseUrls,
          ...(baseUrl !== undefined && { baseUrl }),
          ...(apiKeyEnv !== undefined && { apiKeyEnv }),
          ...(row.name === 'vertex' && { vertex: { project: 'p', accessToken: () => 'token' } }),
          fetch: recorder.fetch,
        }
        const context = { environment: environmentOf(variables) }
        const provider = await newProvider(config, context).catch((error: unknown) => {
          expect(error).toMatchObject({ code: 'config' })
          expect(String(error)).not.toContain('canary')
          return undefined
        })
        await provider?.complete('Hi', { retry: { attempts: 1 } }).catch(() => undefined)
        for (const { url, headers, body } of recorder.requests) {
          const { origin } = new URL(url)
          const told = `${url} ${JSON.stringify([...headers])} ${body}`
          const reached = [...keyNames, 'MINE'].filter((name) => told.includes(canary(name)))
          const allowed = mayReach(row, config, variables, origin)
          expect(
            reached.filter((name) => !allowed.includes(name)),
            `${row.name} at ${origin}`,
          ).toEqual([])
          expect(apiHosts(config, context).map(({ host }) => host)).toContain(new URL(url).hostname)
          sent += reached.length
        }
      },
    ),
    { numRuns: 400 },
  )
  // It also finds the keys that are sent.
  expect(sent).toBeGreaterThan(20)
})
