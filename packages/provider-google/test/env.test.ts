import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createGoogle, createGoogleEmbedder, type GoogleConfig } from '../src/index.js'
import { answer, chunk, recordingFetch, type SentRequest } from './support.js'

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})

/**
 * Everything the SDK reads itself, and what google-auth-library reads by default.
 */
const hostile: Record<string, string> = {
  GOOGLE_GEMINI_BASE_URL: 'https://evil.example',
  GOOGLE_VERTEX_BASE_URL: 'https://evil.example',
  GOOGLE_GENAI_USE_ENTERPRISE: 'true',
  GOOGLE_GENAI_USE_VERTEXAI: 'true',
  GOOGLE_GENAI_API_VERSION: 'v9evil',
  GOOGLE_API_KEY: 'evil-key',
  GEMINI_API_KEY: 'evil-key',
  GOOGLE_GENAI_API_KEY: 'evil-key',
  GOOGLE_GENAI_ACCESS_TOKEN: 'evil-token',
  GOOGLE_GENAI_USER_PROJECT: 'evil-project',
  GOOGLE_CLOUD_PROJECT: 'evil-project',
  GCLOUD_PROJECT: 'evil-project',
  GOOGLE_CLOUD_LOCATION: 'evil-location',
  GOOGLE_CLOUD_QUOTA_PROJECT: 'evil-project',
  GOOGLE_APPLICATION_CREDENTIALS: '/nowhere/evil.json',
  GCE_METADATA_HOST: 'evil.example',
  GOOGLE_CLOUD_UNIVERSE_DOMAIN: 'evil.example',
  HTTPS_PROXY: 'http://evil.example:3128',
  HTTP_PROXY: 'http://evil.example:3128',
}

const model = 'gemini-3-flash-preview'
const configs: Record<string, Omit<GoogleConfig, 'fetch'>> = {
  'Gemini API': { model, apiKey: 'key-of-tests' },
  'Gemini API, own address': {
    model,
    apiKey: 'key-of-tests',
    baseUrl: 'https://proxy.example/v1beta',
  },
  'Vertex AI with a token': {
    model,
    vertex: { project: 'demo', accessToken: () => 'token-of-tests' },
  },
  'Vertex AI with a region': {
    model,
    vertex: { project: 'demo', location: 'europe-west4', accessToken: () => 'token-of-tests' },
  },
  'Vertex AI with a key': { model, apiKey: 'key-of-tests', vertex: {} },
  'Vertex AI with a key and a project': {
    model,
    apiKey: 'key-of-tests',
    vertex: { project: 'demo', location: 'us' },
  },
  'Vertex AI with a service account': {
    model,
    vertex: {
      project: 'demo',
      credentials: { client_email: 'me@demo.iam.gserviceaccount.com', private_key: privateKey },
    },
  },
}

async function requestsOf(config: Omit<GoogleConfig, 'fetch'>): Promise<SentRequest[]> {
  const fetch = recordingFetch(({ url }) => {
    if (url.includes('oauth2'))
      return answer({ access_token: 'token-of-the-account', expires_in: 3600 })
    if (url.includes('mbed')) return answer({ embeddings: [{ values: [1] }] })
    return answer(chunk([{ text: 'Hi' }], { finishReason: 'STOP' }))
  })
  await createGoogle({ ...config, fetch }).complete('Hello')
  if (!config.vertex)
    await createGoogleEmbedder({ ...config, fetch, model: 'gemini-embedding-001' }).embed(['Hello'])
  // The assertion of a service account has the time in it.
  return fetch.requests.map((request) =>
    request.url.includes('oauth2') ? { ...request, body: undefined } : request,
  )
}

describe('the environment changes nothing', () => {
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  test.each(Object.entries(configs))(
    'the environment changes nothing for %s',
    async (_, config) => {
      for (const name of Object.keys(hostile)) vi.stubEnv(name, undefined)
      const clean = await requestsOf(config)
      expect(clean.length).toBeGreaterThan(0)
      for (const [name, value] of Object.entries(hostile)) vi.stubEnv(name, value)
      expect(await requestsOf(config)).toEqual(clean)
      expect(JSON.stringify(clean)).not.toContain('evil')
    },
  )

  test.each(Object.entries(hostile))('%s alone changes nothing either', async (name, value) => {
    for (const other of Object.keys(hostile)) vi.stubEnv(other, undefined)
    const clean = await Promise.all(Object.values(configs).map(requestsOf))
    vi.stubEnv(name, value)
    expect(await Promise.all(Object.values(configs).map(requestsOf))).toEqual(clean)
  })

  test('no variable that the SDK reads is missing here', () => {
    const source = readFileSync(createRequire(import.meta.url).resolve('@google/genai'), 'utf8')
    const read = [
      ...source.matchAll(
        /getEnv\(['"](\w+)['"]\)|process\.env\.(\w+)|process\.env\[['"](\w+)['"]\]|envVars\.(\w+)/g,
      ),
    ].map(([, ...names]) => names.find(Boolean))
    expect(read.length).toBeGreaterThan(5)
    expect(read.filter((name) => name && !(name in hostile))).toEqual([])
  })
})
