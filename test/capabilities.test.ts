import {
  type CallOptions,
  type Capabilities,
  type ChatMessage,
  describeProvider,
  type Provider,
} from '@modelport/core'
import type { Fetch } from '@modelport/driver'
import { createLlamaCpp, createLlamaCppEmbedder } from '@modelport/provider-llamacpp'
import * as compatible from '@modelport/provider-openai-compatible'
import { describe, expect, test } from 'vitest'
import { apiKey, apiNamed, testedApis, vendorNamed, vendorPackages } from './providers.js'

/** A way to configure a package, and what that is said to do. */
interface Row {
  readonly capabilities: Capabilities
  readonly create: (fetch: Fetch) => Provider
  readonly embedder?: () => unknown
  readonly files?: () => unknown
  /** Hosts whose pages may be cited: the vendor's own. */
  readonly hosts: readonly string[]
}

const capabilitiesOf = (provider: Provider): Capabilities => {
  const { capabilities } = describeProvider(provider)
  if (capabilities) return capabilities
  throw new Error(`${provider.name} says nothing of its capabilities`)
}

/** A row of a provider package with one of its models. */
const rowOf = (name: string, model: string): Row => {
  const { create, vendor, embedder, files } = apiNamed(name)
  return {
    capabilities: capabilitiesOf(create({ model })),
    create: (fetch) => create({ model, fetch }),
    hosts: [new URL(vendor.docs).host],
    ...(embedder && { embedder }),
    ...(files && { files }),
  }
}

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
  ...Object.fromEntries(
    testedApis
      .filter(({ name }) => name !== 'openai-compatible')
      .flatMap(({ name, models }) =>
        models.map((model) => [`${name}, ${model}`, rowOf(name, model)]),
      ),
  ),
  llamacpp: {
    capabilities: capabilitiesOf(createLlamaCpp({ modelPath: '/nowhere/model.gguf' })),
    create: () => createLlamaCpp({ modelPath: '/nowhere/model.gguf' }),
    embedder: () => createLlamaCppEmbedder({ modelPath: '/nowhere/model.gguf' }),
    hosts: [new URL(vendorNamed('llamacpp').docs).host],
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
  const tested = Object.keys(rows).map(
    (name) => `@modelport/provider-${name.split(/[ ,]/)[0] ?? ''}`,
  )
  const missing = vendorPackages.filter((name) => !tested.includes(name))
  // The mock's abilities are those of its script.
  expect(missing.filter((name) => name !== '@modelport/provider-mock')).toEqual([])
})
