import {
  conformance,
  openaiChat,
  scripts,
  type WireFormat,
  type WireRequest,
} from '@modelport/conformance'
import { openaiChatCumulative } from '@modelport/test-formats'
import { describe } from 'vitest'
import { isFull, wireRunner } from '../../../test/support/faults.js'
import {
  createOpenAICompatible,
  createPreset,
  type PresetConfig,
  type PresetName,
  presets,
} from '../src/index.js'

const apiKey = 'sk-conformance-4b1f0c7e9d'
const baseUrl = 'http://conformance.test'

conformance(wireRunner, {
  name: 'openai-compatible',
  create: (config) => createOpenAICompatible({ baseUrl, model: 'model', apiKey, ...config }),
  format: openaiChat,
  apiKey,
})

conformance(wireRunner, {
  name: 'openai-compatible, whose events repeat the message so far',
  create: (config) => createOpenAICompatible({ baseUrl, model: 'model', apiKey, ...config }),
  format: openaiChatCumulative,
  apiKey,
})

/** A server that reports usage without being asked. */
const reportsUnasked: WireFormat = {
  ...openaiChat,
  respond: (turn, request) => openaiChat.respond(turn, asked(request)),
  respondThenFail: (turn, request, message) =>
    openaiChat.respondThenFail(turn, asked(request), message),
}
const asked = (request: WireRequest): WireRequest => ({
  ...request,
  body: { ...(request.body as object), stream_options: { include_usage: true } },
})

// Nearly all of the kit's time goes into cutting answers in every way. A row changes requests only,
// so that is shown once, above.
const bytes = 'bytes are decoded by the decoder of the first run, which knows no row'
const cuts = [
  'the connection ends at every byte',
  'the connection is reset at every byte',
  'split in two at every byte',
  'byte by byte and in random chunks',
]
const wholeCuts = [
  'a whole reply cut at every byte',
  'a whole reply reset at every byte',
  'a whole reply split at every byte',
]
const skip = Object.fromEntries(
  [...wholeCuts, ...cuts.flatMap((cut) => scripts.map(({ name }) => `${cut}: ${name}`))].map(
    (title) => [title, bytes],
  ),
)
// The rows whose requests differ most are held to all the rest; the others not to what is the same
// code for every row, but by `npm run test:full`.
const peculiar: readonly PresetName[] = [
  'alibaba',
  'deepseek',
  'mistral',
  'moonshot',
  'perplexity',
  'zai',
]
const same =
  'streams, failures, retries and the key are the code of the first run, which knows no row'
const common = Object.fromEntries(
  'F1 F2 F3 F4 F5 F6 F7 K1 S4 S5 S6 S8 S12'.split(' ').map((rule) => [rule, same]),
)
const further: Partial<Record<PresetName, Readonly<Record<string, string>>>> = {
  mistral: {
    'ids of another vendor fit this API, and calls and results stay together':
      "its rule of ids is another than the kit's; see presets.test.ts",
  },
}

/**
 * The kit uses tools throughout; that this row refuses them is shown by presets.test.ts. The rest
 * of it is held to the kit.
 */
const withTools: Partial<Record<PresetName, PresetConfig>> = {
  perplexity: { quirks: { lacks: [] } },
}

describe.each(Object.keys(presets) as PresetName[])('the row %s', (name) => {
  conformance(wireRunner, {
    name,
    create: (config) =>
      createPreset(name, { baseUrl, model: 'model', apiKey, ...withTools[name], ...config }),
    format: presets[name].quirks.streamUsage === false ? reportsUnasked : openaiChat,
    apiKey,
    skip: { ...skip, ...(!isFull && !peculiar.includes(name) && common), ...further[name] },
  })
})
