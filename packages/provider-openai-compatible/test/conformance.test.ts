import { conformance, openaiChat } from '@modelport/conformance'
import { describe, test } from 'vitest'
import { createOpenAICompatible, createPreset, type PresetName, presets } from '../src/index.js'

const apiKey = 'sk-conformance-4b1f0c7e9d'
const baseUrl = 'http://conformance.test'

conformance({ describe, test }, {
  name: 'openai-compatible',
  create: (config) => createOpenAICompatible({ baseUrl, model: 'model', apiKey, ...config }),
  format: openaiChat,
  apiKey,
})

describe.each(Object.keys(presets) as PresetName[])('the row %s', (name) => {
  conformance({ describe, test }, { name, create: (config) => createPreset(name, { baseUrl, model: 'model', apiKey, ...config }), format: openaiChat, apiKey })
})
