import { type Harness, openaiChat } from '@modelport/conformance'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createBedrock } from '@modelport/provider-bedrock'
import { createGoogle } from '@modelport/provider-google'
import { createOllama } from '@modelport/provider-ollama'
import { createOpenAI } from '@modelport/provider-openai'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import {
  anthropicMessages,
  bedrockConverse,
  gemini,
  ollamaChat,
  openaiResponses,
} from '@modelport/test-formats'

const apiKey = 'sk-Rt01Ab23Cd45Ef67Gh89abcdef'
// The page of a test shows no key to anybody; elsewhere this changes nothing.
const dangerouslyAllowBrowser = true

/** The providers that run everywhere. */
export const harnesses: readonly Harness[] = [
  {
    name: 'openai-compatible',
    format: openaiChat,
    apiKey,
    create: (config) =>
      createOpenAICompatible({
        baseUrl: 'http://conformance.test',
        model: 'model',
        apiKey,
        ...config,
      }),
  },
  {
    name: 'ollama',
    format: ollamaChat,
    apiKey,
    create: (config) =>
      createOllama({ baseUrl: 'http://conformance.test', model: 'model', apiKey, ...config }),
  },
  {
    name: 'anthropic',
    format: anthropicMessages,
    apiKey,
    create: (config) =>
      createAnthropic({
        model: 'claude-sonnet-4-5',
        apiKey,
        baseUrl: 'https://conformance.test',
        dangerouslyAllowBrowser,
        ...config,
      }),
  },
  {
    name: 'openai',
    format: openaiResponses,
    apiKey,
    create: (config) =>
      createOpenAI({ model: 'gpt-5.4', apiKey, dangerouslyAllowBrowser, ...config }),
  },
  {
    name: 'google',
    format: gemini,
    apiKey,
    create: (config) => createGoogle({ model: 'gemini-3-flash-preview', apiKey, ...config }),
  },
  {
    name: 'bedrock',
    format: bedrockConverse,
    apiKey,
    skip: {
      "comments and pings keep the bytes' clock, not the reply's": 'frames have no pings of text',
      'an event without an end is refused as soon as it is too long':
        'frames say their length first',
      'the key is on no object': 'a secret key signs and is never sent',
    },
    create: (config) =>
      createBedrock({
        model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
        region: 'us-east-1',
        credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: apiKey },
        ...config,
      }),
  },
]
