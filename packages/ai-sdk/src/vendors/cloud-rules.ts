import type { CallOptions, JsonObject } from '@modelport/core'
import { toSnake } from '@modelport/core/text'
import { toCamel } from './camel.js'
import { geminiCalls } from './executed-calls.js'
import { geminiMetadata } from './vendor-metadata.js'
import {
  type Fields,
  type Rule,
  rulesOf,
  toCache,
  toSnakeDeep,
  type VendorRules,
  vendor,
} from './vendor-rules.js'

const inConfig =
  (name: string): Rule<CallOptions> =>
  (value) =>
    vendor({ generationConfig: { [name]: value } })

/** The categories that an application may set, of which one threshold is for all. */
const harms = ['HATE_SPEECH', 'DANGEROUS_CONTENT', 'HARASSMENT', 'SEXUALLY_EXPLICIT']

const geminiCall: Readonly<Record<string, Rule<CallOptions>>> = {
  responseModalities: inConfig('responseModalities'),
  thinkingConfig: inConfig('thinkingConfig'),
  mediaResolution: inConfig('mediaResolution'),
  imageConfig: inConfig('imageConfig'),
  audioTimestamp: inConfig('audioTimestamp'),
  structuredOutputs: (value) =>
    value === false ? vendor({ generationConfig: { responseJsonSchema: null } }) : {},
  threshold: (threshold, { providerOptions }) =>
    providerOptions?.['google']?.['safetySettings']
      ? {}
      : vendor({
          safetySettings: harms.map((harm) => ({ category: `HARM_CATEGORY_${harm}`, threshold })),
        }),
  retrievalConfig: (value) => vendor({ toolConfig: { retrievalConfig: value } }),
  streamFunctionCallArguments: () =>
    'of Vertex AI alone: set it in `providerOptions.modelport.vendor.toolConfig`',
  sharedRequestType: (value) =>
    vendor({ headers: { 'x-vertex-ai-llm-shared-request-type': value } }),
  requestType: (value) => vendor({ headers: { 'x-vertex-ai-llm-request-type': value } }),
}

/** Files by media type that models since Gemini 2.5 fetch from any address. */
const fetched: Readonly<Record<string, readonly string[]>> = {
  text: ['html', 'css', 'plain', 'xml', 'csv', 'rtf', 'javascript'],
  application: ['json', 'pdf'],
  image: ['bmp', 'jpeg', 'png', 'webp'],
  video: ['mp4', 'mpeg', 'quicktime', 'avi', 'x-flv', 'mpg', 'webm', 'wmv', '3gpp'],
}

/** Addresses that models since Gemini 2.5 fetch besides those of Google. */
export const geminiUrls: VendorRules['supportedUrls'] = Object.fromEntries(
  Object.entries(fetched).flatMap(([kind, names]) =>
    names.map((name) => [`${kind}/${name}`, [/^https:\/\/.*$/]]),
  ),
)

/** Google's API of Gemini models. */
export const geminiRules: VendorRules = {
  namespaces: ['googleVertex', 'vertex', 'google'],
  key: 'google',
  metadata: geminiMetadata,
  executedCalls: geminiCalls,
  supportedUrls: {
    '*': [
      /^https:\/\/generativelanguage\.googleapis\.com\/v1beta\/files\/.*$/,
      /^https:\/\/(?:www\.)?youtube\.com\/watch\?v=[\w-]+(?:&[\w=&.-]*)?$/,
      /^https:\/\/youtu\.be\/[\w-]+(?:\?[\w=&.-]*)?$/,
      /^gs:\/\/.*$/,
    ],
  },
  call: rulesOf(geminiCall, (name) => (value) => vendor({ [name]: value })),
  tool: rulesOf<Fields>({}, (name) => (value) => ({ vendor: { [name]: value } })),
  part: rulesOf<Fields>({}, (name) => (value) => ({ vendor: { [name]: value } })),
  providerTool: ({ id, args }) => {
    if (!id.startsWith('google.')) return undefined
    const name = id.slice('google.'.length)
    if (name === 'vertex_rag_store') {
      const store = {
        rag_resources: { rag_corpus: args['ragCorpus'] },
        similarity_top_k: args['topK'],
      }
      return { tool: { retrieval: { vertex_rag_store: store } }, name: 'retrieval' }
    }
    return { tool: { [toCamel(name)]: args }, name }
  },
  penalty: (name, value) => vendor({ generationConfig: { [name]: value } }),
}

const converseCall: Readonly<Record<string, Rule<CallOptions>>> = {
  additionalModelRequestFields: (fields) => vendor({ additionalModelRequestFields: fields }),
  reasoningConfig: (value) => {
    const { type, budgetTokens, maxReasoningEffort: effort, display } = Object(value) as JsonObject
    const thinking = { type, budgetTokens, display }
    const isSet = type !== undefined || budgetTokens !== undefined || display !== undefined
    return vendor({
      additionalModelRequestFields: {
        ...(isSet && { thinking: toSnakeDeep(thinking) }),
        ...(effort !== undefined && { output_config: { effort } }),
      },
    })
  },
  anthropicBeta: (betas) => vendor({ additionalModelRequestFields: { anthropic_beta: betas } }),
  serviceTier: (type) => vendor({ serviceTier: { type } }),
  structuredOutputMode: (mode) =>
    mode === 'jsonTool' ? 'the model is held to the schema of the output' : {},
}

/** Converse of Amazon Bedrock. */
export const converseRules: VendorRules = {
  namespaces: ['amazonBedrock', 'bedrock'],
  key: 'amazonBedrock',
  supportedUrls: {},
  call: rulesOf(converseCall, (name) => (value) => vendor({ [name]: value })),
  tool: rulesOf<Fields>({ cachePoint: toCache }, (name) => (value) => ({
    vendor: { [toSnake(name)]: value },
  })),
  part: rulesOf<Fields>({ cachePoint: toCache }, (name) => (value) => ({
    vendor: { [name]: value },
  })),
  providerTool: () => undefined,
}
