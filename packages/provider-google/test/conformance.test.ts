import { conformance, gemini } from '@modelport/conformance'
import { describe, test } from 'vitest'
import { createGoogle } from '../src/index.js'

const apiKey = 'AIzaConformance0123456789abcdefghij'

conformance({ describe, test }, {
  name: 'google',
  format: gemini,
  apiKey,
  create: (config) => createGoogle({ model: 'gemini-3-flash-preview', apiKey, ...config }),
})

conformance({ describe, test }, {
  name: 'google (Vertex AI)',
  format: gemini,
  apiKey: 'ya29.conformance-access-token',
  create: (config) =>
    createGoogle({ model: 'gemini-3-flash-preview', vertex: { project: 'demo', accessToken: () => 'ya29.conformance-access-token' }, ...config }),
})
