import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { useModel } from './set-up.js'
import { command } from './test-io.js'
import { configOf, key } from './wire.js'

const secrets = {
  key,
  'key of the fallback': 'spare-canary-1111111111',
  'key of the fallback of the fallback': 'last-canary-2222222222',
  header: 'header-canary-3333333333',
  'header of the fallback': 'spare-header-canary-444',
  'password of a proxy': 'proxy canary/6666666666',
}
const environment = {
  MY_KEY: key,
  SPARE_KEY: secrets['key of the fallback'],
  LAST_KEY: secrets['key of the fallback of the fallback'],
  MY_HEADER: secrets.header,
  SPARE_COOKIE: `id=${secrets['header of the fallback']}`,
  SPARE_PROXY: `http://user:${encodeURIComponent(secrets['password of a proxy'])}@proxy.test:3128`,
}
const base64 = (text: string): string => Buffer.from(text).toString('base64')
/** As a person may paste them. */
const forms = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  base64(secret),
  base64(`me:${secret}`),
  base64(`user:${secret}`),
  base64(`someone:${secret}`),
]

const { home, server } = useModel()

beforeEach(async () => {
  mkdirSync(join(home.path, '.config/modelport'), { recursive: true, mode: 0o700 })
  writeFileSync(
    configOf(home.path),
    `
models:
  - { name: main, provider: openai-compatible, model: m, base_url: ${server.url}/v1, api_key_env: MY_KEY, fallback: [spare], headers: { X-Auth: { env: MY_HEADER } } }
  - { name: spare, provider: openai-compatible, model: m, base_url: ${server.url}/v1, api_key_env: SPARE_KEY, fallback: [last], headers: { Cookie: { env: SPARE_COOKIE } }, proxy_env: SPARE_PROXY }
  - { name: last, provider: openai-compatible, model: m, base_url: ${server.url}/v1, api_key_env: LAST_KEY }
  - { name: other, provider: openai-compatible, model: m, base_url: ${server.url}/v1, api_key_env: MY_KEY }
roles: { chat: main }
`,
    { mode: 0o600 },
  )
})

/** Everything that was kept, but for the configuration. */
const kept = (): string =>
  readdirSync(home.path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => readFileSync(join(home.path, name), 'utf8'))
    .join('\n')

test.each(Object.entries(secrets))(
  'nothing that is kept holds %s, in whatever form it was said',
  async (_, secret) => {
    const said = forms(secret)
    const { code, err } = await command(['chat', '--record', join(home.path, 'chat.json')], {
      home: home.path,
      stdin: said.map((form) => `plain ${form}.\n`).join(''),
      environment,
    })
    expect(code, err).toBe(0)
    const text = kept()
    for (const form of said) expect(text).not.toContain(form)
    // Base64 of what begins elsewhere is other letters: what stands for the secret's own bytes.
    expect(text).not.toContain(base64(`me:${secret}`).slice(8, -4))
    expect(text.split('[redacted]').length).toBeGreaterThan(2 * said.length)
    expect(text).toContain('Plain text')
  },
)

test('the key of a model that is not used any more is kept nowhere', async () => {
  writeFileSync(
    configOf(home.path),
    readFileSync(configOf(home.path), 'utf8').replace('MY_KEY }\n', 'LAST_KEY }\n'),
    {
      mode: 0o600,
    },
  )
  const { code } = await command(['chat'], {
    home: home.path,
    stdin: `plain ${secrets.header}\n/model other\nplain too\n`,
    environment: { ...environment, LAST_KEY: key },
  })
  expect(code).toBe(0)
  expect(kept()).toContain('plain too')
  expect(kept()).not.toContain(secrets.header)
})
