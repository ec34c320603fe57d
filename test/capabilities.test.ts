import type { CallOptions, Capabilities, ChatMessage, Provider } from '@modelport/core'
import type { Fetch } from '@modelport/driver'
import * as anthropic from '@modelport/provider-anthropic'
import * as bedrock from '@modelport/provider-bedrock'
import * as google from '@modelport/provider-google'
import * as llamacpp from '@modelport/provider-llamacpp'
import * as ollama from '@modelport/provider-ollama'
import * as openai from '@modelport/provider-openai'
import * as compatible from '@modelport/provider-openai-compatible'
import { describe, expect, test } from 'vitest'
import { capabilities as anthropicCapabilities } from '../packages/provider-anthropic/src/capabilities.js'
import { capabilities as bedrockCapabilities } from '../packages/provider-bedrock/src/capabilities.js'
import { capabilities as googleCapabilities } from '../packages/provider-google/src/capabilities.js'
import { capabilities as llamacppCapabilities } from '../packages/provider-llamacpp/src/capabilities.js'
import { capabilities as ollamaCapabilities } from '../packages/provider-ollama/src/capabilities.js'
import { capabilities as openaiCapabilities } from '../packages/provider-openai/src/capabilities.js'

const apiKey = 'sk-capabilities-1234567890'

/** A package, a way to configure it, and what that is said to do. */
interface Row {
  readonly capabilities: Capabilities
  readonly create: (fetch: Fetch) => Provider
  readonly embedder: (() => unknown) | undefined
  readonly files?: () => unknown
  /** Hosts whose pages may be cited: the vendor's own. */
  readonly hosts: readonly string[]
}

const anthropicRow = (model: string): Row => ({
  capabilities: anthropicCapabilities({ model }),
  create: (fetch) => anthropic.createAnthropic({ apiKey, model, fetch }),
  embedder: undefined,
  files: () => anthropic.createAnthropicFiles({ apiKey }),
  hosts: ['platform.claude.com'],
})
const bedrockRow = (model: string): Row => ({
  capabilities: bedrockCapabilities({ model }),
  create: (fetch) => bedrock.createBedrock({ apiKey, model, region: 'us-east-1', fetch }),
  embedder: undefined,
  hosts: ['docs.aws.amazon.com'],
})
const openaiRow = (model: string, api: 'responses' | 'chat'): Row => ({
  capabilities: openaiCapabilities({ model }),
  create: (fetch) => openai.createOpenAI({ apiKey, model, api, fetch }),
  embedder: () => openai.createOpenAIEmbedder({ apiKey, model }),
  files: () => openai.createOpenAIFiles({ apiKey }),
  hosts: ['developers.openai.com'],
})
const googleRow = (model: string): Row => ({
  capabilities: googleCapabilities({ model }),
  create: (fetch) => google.createGoogle({ apiKey, model, fetch }),
  embedder: () => google.createGoogleEmbedder({ apiKey, model }),
  files: () => google.createGoogleFiles({ apiKey }),
  hosts: ['ai.google.dev'],
})

/**
 * Hosts whose pages are sources for a preset: that of its documentation, on GitHub with the owner.
 */
const presetHosts = (name: compatible.PresetName): readonly string[] => {
  const { host, pathname } = new URL(compatible.presets[name].docs)
  const own = host === 'github.com' ? `${host}/${pathname.split('/')[1] ?? ''}` : host
  return name === 'groq' ? [own, 'github.com/groq'] : [own]
}

const presetRow = (name: compatible.PresetName): Row => {
  const config = compatible.toPresetConfig(name, {
    apiKey,
    model: 'm',
    baseUrl: compatible.presets[name].baseUrl,
  })
  return {
    capabilities: compatible.capabilities(config),
    create: (fetch) => compatible.createOpenAICompatible({ ...config, fetch }),
    embedder: () => compatible.createOpenAICompatibleEmbedder(config),
    hosts: presetHosts(name),
  }
}

const rows: Readonly<Record<string, Row>> = {
  anthropic: anthropicRow('claude-opus-5-5'),
  'anthropic, a model that does not think': anthropicRow('claude-3-5-sonnet-20241022'),
  bedrock: bedrockRow('us.anthropic.claude-opus-5'),
  'bedrock, a model that does not think': bedrockRow('meta.llama3-3-70b-instruct-v1:0'),
  'openai, Responses': openaiRow('gpt-5.4', 'responses'),
  'openai, Responses, a model that does not reason': openaiRow('gpt-4.1', 'responses'),
  'openai, Chat Completions': openaiRow('gpt-5.4', 'chat'),
  'openai, Chat Completions, a model that does not reason': openaiRow('gpt-4.1', 'chat'),
  google: googleRow('gemini-3.8-flash'),
  'google, a model that does not think': googleRow('gemini-2.0-flash'),
  ollama: {
    capabilities: ollamaCapabilities(),
    create: (fetch) => ollama.createOllama({ model: 'm', fetch }),
    embedder: () => ollama.createOllamaEmbedder({ model: 'm' }),
    hosts: ['docs.ollama.com'],
  },
  llamacpp: {
    capabilities: llamacppCapabilities(),
    create: () => llamacpp.createLlamaCpp({ modelPath: '/nowhere/model.gguf' }),
    embedder: () => llamacpp.createLlamaCppEmbedder({ modelPath: '/nowhere/model.gguf' }),
    hosts: ['node-llama-cpp.withcat.ai'],
  },
  ...Object.fromEntries(
    Object.keys(compatible.presets).map((name) => [
      `preset ${name}`,
      presetRow(name as compatible.PresetName),
    ]),
  ),
}

const image: ChatMessage = {
  role: 'user',
  content: [
    { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'iVBORw0KGgo=' } },
  ],
}
const attempts: Readonly<
  Record<
    Exclude<
      keyof Capabilities,
      'embeddings' | 'files' | 'providerTools' | 'choices' | 'fewestTokens'
    >,
    readonly [ChatMessage, CallOptions]
  >
> = {
  tools: [
    { role: 'user', content: 'Hi' },
    { tools: [{ name: 'get_time', description: 'The time' }] },
  ],
  parallelTools: [
    { role: 'user', content: 'Hi' },
    { tools: [{ name: 'get_time', description: 'The time' }] },
  ],
  images: [image, {}],
  schema: [
    { role: 'user', content: 'Hi' },
    {
      responseFormat: {
        type: 'json-schema',
        schema: {
          type: 'object',
          properties: { a: { type: 'string' } },
          required: ['a'],
          additionalProperties: false,
        },
      },
    },
  ],
  logprobs: [
    { role: 'user', content: 'Hi' },
    { topLogprobs: 1, temperature: 0 },
  ],
  reasoning: [{ role: 'user', content: 'Hi' }, { reasoning: 'high' }],
}

/** What becomes of a call: `unsupported` before anything is sent, or something else. */
async function outcome(
  { create }: Row,
  [message, options]: (typeof attempts)[keyof typeof attempts],
): Promise<string> {
  let requests = 0
  const fetch: Fetch = () => {
    requests++
    return Promise.resolve(Response.json({ error: { message: 'enough' } }, { status: 401 }))
  }
  const error = await create(fetch)
    .generate([message], options)
    .catch((reason: unknown) => reason)
  const { code } = error as { readonly code: string }
  return code === 'unsupported' && requests === 0 ? code : 'tried'
}

describe.each(Object.entries(rows))('capabilities of %s', (_, row) => {
  const {
    providerTools: _forms,
    choices: _fields,
    fewestTokens: _least,
    ...abilities
  } = row.capabilities
  test.each(Object.entries(abilities))(
    '%s: what is denied is refused before it is sent, the rest is tried; the source is the vendor or a test',
    async (ability, { supported, source }) => {
      expect([true, false, 'by-model', undefined]).toContain(supported)
      const page = /^https:\/\/(.*)$/.exec(source)?.[1]
      if (page === undefined) expect(source).toMatch(/packages\/[\w-]+\/test\/[\w-]+\.test\.ts/)
      else expect(row.hosts.filter((host) => page.startsWith(host))).toHaveLength(1)
      if (ability === 'files') {
        expect(supported).toBe(true)
        expect(row.files?.()).toHaveProperty('upload')
        return
      }
      if (ability === 'embeddings') {
        if (supported === false && row.embedder)
          expect(row.embedder).toThrow(expect.objectContaining({ code: 'unsupported' }))
        else if (supported !== false) expect(row.embedder?.()).toHaveProperty('embed')
        return
      }
      const attempt = attempts[ability as keyof typeof attempts]
      expect(await outcome(row, attempt)).toBe(supported === false ? 'unsupported' : 'tried')
    },
  )
})

test('no provider package is without a row', () => {
  expect(Object.keys(rows).length).toBe(12 + Object.keys(compatible.presets).length)
})
