import { conformance } from '@modelport/conformance'
import { gemini } from '@modelport/test-formats'
import { wireRunner } from '../../../test/support/faults.js'
import { createGoogle } from '../src/index.js'

const apiKey = 'AIzaConformance0123456789abcdefghij'

conformance(wireRunner, {
  name: 'google',
  format: gemini,
  apiKey,
  create: (config) => createGoogle({ model: 'gemini-3-flash-preview', apiKey, ...config }),
})

conformance(wireRunner, {
  name: 'google (Vertex AI)',
  format: gemini,
  apiKey: 'ya29.conformance-access-token',
  create: (config) =>
    createGoogle({
      model: 'gemini-3-flash-preview',
      vertex: { project: 'demo', accessToken: () => 'ya29.conformance-access-token' },
      ...config,
    }),
})
