import { anthropicMessages, gemini, type Harness, openaiResponses } from '@modelport/conformance'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createGoogle } from '@modelport/provider-google'
import { createOpenAI } from '@modelport/provider-openai'

const apiKey = 'sk-runtimes-0123456789abcdef'

/** The providers over a vendor's SDK. */
export const sdkHarnesses: readonly Harness[] = [
  { name: 'anthropic', format: anthropicMessages, apiKey, create: (config) => createAnthropic({ model: 'claude-sonnet-4-5', apiKey, baseUrl: 'https://conformance.test', ...config }) },
  { name: 'openai', format: openaiResponses, apiKey, create: (config) => createOpenAI({ model: 'gpt-5.4', apiKey, ...config }) },
  { name: 'google', format: gemini, apiKey, create: (config) => createGoogle({ model: 'gemini-3-flash-preview', apiKey, ...config }) },
]
