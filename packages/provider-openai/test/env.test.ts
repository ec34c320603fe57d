import OpenAI from 'openai'
import { afterEach, expect, test, vi } from 'vitest'
import { createOpenAI, createOpenAIEmbedder, listModels } from '../src/index.js'
import { completion, message, recordingFetch, response } from './support.js'

const traps = {
  OPENAI_BASE_URL: 'https://trap.test/v1',
  OPENAI_API_KEY: 'sk-trap',
  OPENAI_ADMIN_KEY: 'sk-trap-admin',
  OPENAI_ORG_ID: 'org-trap',
  OPENAI_PROJECT_ID: 'proj-trap',
  OPENAI_WEBHOOK_SECRET: 'whsec-trap',
  OPENAI_CUSTOM_HEADERS: 'x-trap: 1\nauthorization: Bearer sk-trap\napi-key: trap',
  OPENAI_LOG: 'debug',
  OPENAI_API_VERSION: 'trap-version',
  AZURE_OPENAI_API_KEY: 'trap-azure',
  AZURE_OPENAI_ENDPOINT: 'https://trap.openai.azure.com',
  HTTP_PROXY: 'http://trap.test:1',
  HTTPS_PROXY: 'http://trap.test:1',
}

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

const seen = ({ sent }: ReturnType<typeof recordingFetch>): string =>
  JSON.stringify(sent.map(({ url, headers, body }) => [url, [...headers].sort(), body as unknown]))

async function sendAll(): Promise<string> {
  const recorded = recordingFetch(
    response(message('Hi')),
    completion('Hi'),
    completion('Hi'),
    { data: [{ embedding: [1] }] },
    { data: [] },
  )
  const { fetch } = recorded
  const apiKey = 'sk-own-0123456789'
  await createOpenAI({ apiKey, model: 'gpt-5.4', fetch }).complete('Hi')
  await createOpenAI({ apiKey, model: 'gpt-4.1', api: 'chat', fetch }).complete('Hi')
  const azure = { endpoint: 'https://own.openai.azure.com', deployment: 'd', apiVersion: 'v' }
  await createOpenAI({ apiKey, model: 'gpt-4.1', azure, fetch }).complete('Hi')
  await createOpenAIEmbedder({ apiKey, model: 'text-embedding-3-small', fetch }).embed(['Hi'])
  await listModels({ apiKey, fetch })
  return seen(recorded)
}

test('no variable of the environment changes what is sent, nor where', async () => {
  const clean = await sendAll()
  const log = ['debug', 'info', 'log', 'warn', 'error'].map((method) =>
    vi.spyOn(console, method as 'log').mockImplementation(() => undefined),
  )
  for (const [name, value] of Object.entries(traps)) vi.stubEnv(name, value)
  const trapped = await sendAll()
  expect(trapped).toBe(clean)
  expect(trapped).not.toMatch(/trap/)
  for (const spy of log) expect(spy).not.toHaveBeenCalled()
})

test('the SDK alone contacts the hosts of these variables', async () => {
  for (const [name, value] of Object.entries(traps)) vi.stubEnv(name, value)
  vi.stubEnv('OPENAI_LOG', 'off')
  const recorded = recordingFetch(response(message('Hi')))
  await new OpenAI({ fetch: recorded.fetch }).post('/responses', { body: {} }).asResponse()
  expect(recorded.sent[0]?.url).toBe('https://trap.test/v1/responses')
  expect(seen(recorded)).toMatch(/org-trap.*proj-trap.*x-trap/)
})

test('organization and project of the configuration are sent', async () => {
  const recorded = recordingFetch(response(message('Hi')))
  await createOpenAI({
    apiKey: 'sk-own-0123456789',
    model: 'gpt-5.4',
    organization: 'org-own',
    project: 'proj-own',
    fetch: recorded.fetch,
  }).complete('Hi')
  expect(Object.fromEntries(recorded.sent[0]?.headers ?? [])).toMatchObject({
    authorization: 'Bearer sk-own-0123456789',
    'openai-organization': 'org-own',
    'openai-project': 'proj-own',
  })
})
