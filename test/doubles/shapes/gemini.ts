// The Gemini API and Vertex AI on the wire, written from their documentation: the types of their
// SDK are what a program gives to it.
// @see https://ai.google.dev/api/generate-content (read 2026-11-24)
// @see https://ai.google.dev/api/caching#Content (read 2026-11-24)
// @see https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference (read
// 2026-11-24)

import { any, boolean, integer, list, map, number, object, oneOf, string, to } from './forms.ts'

const blob = object({ 'mimeType!': string, 'data!': string, displayName: string })
const fileData = object({ mimeType: string, 'fileUri!': string, displayName: string })
const level = oneOf(
  'MEDIA_RESOLUTION_LOW',
  'MEDIA_RESOLUTION_MEDIUM',
  'MEDIA_RESOLUTION_HIGH',
  'MEDIA_RESOLUTION_ULTRA_HIGH',
  'MEDIA_RESOLUTION_UNSPECIFIED',
)
const voice = object({
  prebuiltVoiceConfig: object({ 'voiceName!': string }),
  replicatedVoiceConfig: map,
})

const part = object({
  text: string,
  inlineData: blob,
  fileData,
  functionCall: object({ id: string, 'name!': string, args: map }),
  functionResponse: object({
    id: string,
    'name!': string,
    'response!': map,
    parts: list(object({ inlineData: blob, fileData })),
    scheduling: oneOf('SILENT', 'WHEN_IDLE', 'INTERRUPT'),
    willContinue: boolean,
  }),
  executableCode: object({
    id: string,
    'language!': oneOf('PYTHON', 'LANGUAGE_UNSPECIFIED'),
    'code!': string,
  }),
  codeExecutionResult: object({
    id: string,
    'outcome!': oneOf(
      'OUTCOME_OK',
      'OUTCOME_FAILED',
      'OUTCOME_DEADLINE_EXCEEDED',
      'OUTCOME_UNSPECIFIED',
    ),
    output: string,
  }),
  toolCall: object({ id: string, toolType: string, args: map }),
  toolResponse: object({ id: string, toolType: string, response: map }),
  thought: boolean,
  thoughtSignature: string,
  videoMetadata: object({ startOffset: string, endOffset: string, fps: number }),
  mediaResolution: { anyOf: [level, object({ level, numTokens: integer })] },
  mediaProcessing: map,
  partMetadata: map,
  speechMetadata: map,
})

/**
 * A schema of the OpenAPI form, which `parameters` and `responseSchema` hold.
 * @see https://ai.google.dev/api/caching#Schema (read 2026-11-24)
 */
const schema = object({
  type: {
    type: 'string',
    pattern:
      '^(?:STRING|NUMBER|INTEGER|BOOLEAN|ARRAY|OBJECT|NULL|TYPE_UNSPECIFIED|string|number|integer|boolean|array|object|null)$',
  },
  format: string,
  title: string,
  description: string,
  nullable: boolean,
  enum: list(string),
  maxItems: { type: ['string', 'integer'] },
  minItems: { type: ['string', 'integer'] },
  properties: { type: 'object', additionalProperties: to('schema') },
  required: list(string),
  minProperties: { type: ['string', 'integer'] },
  maxProperties: { type: ['string', 'integer'] },
  minLength: { type: ['string', 'integer'] },
  maxLength: { type: ['string', 'integer'] },
  pattern: string,
  example: any,
  anyOf: list(to('schema')),
  propertyOrdering: list(string),
  default: any,
  items: to('schema'),
  minimum: number,
  maximum: number,
})

const tool = object({
  functionDeclarations: list(
    object({
      'name!': string,
      description: string,
      behavior: oneOf('BLOCKING', 'NON_BLOCKING'),
      parameters: to('schema'),
      parametersJsonSchema: any,
      response: to('schema'),
      responseJsonSchema: any,
    }),
  ),
  googleSearch: object({
    timeRangeFilter: object({ startTime: string, endTime: string }),
    excludeDomains: list(string),
    blockingConfidence: string,
    searchTypes: map,
  }),
  googleSearchRetrieval: object({
    dynamicRetrievalConfig: object({ mode: string, dynamicThreshold: number }),
  }),
  codeExecution: object({}),
  urlContext: object({}),
  fileSearch: object({
    'fileSearchStoreNames!': list(string),
    metadataFilter: string,
    topK: integer,
  }),
  googleMaps: object({ enableWidget: boolean }),
  computerUse: object({
    'environment!': string,
    excludedPredefinedFunctions: list(string),
    enablePromptInjectionDetection: boolean,
  }),
  mcpServers: list(map),
  retrieval: map,
  enterpriseWebSearch: map,
  parallelAiSearch: map,
  exaAiSearch: map,
})

const generationConfig = object({
  stopSequences: list(string),
  responseMimeType: string,
  responseSchema: to('schema'),
  responseJsonSchema: any,
  _responseJsonSchema: any,
  responseModalities: list(oneOf('TEXT', 'IMAGE', 'AUDIO', 'VIDEO', 'MODALITY_UNSPECIFIED')),
  candidateCount: integer,
  maxOutputTokens: integer,
  temperature: number,
  topP: number,
  topK: number,
  seed: integer,
  presencePenalty: number,
  frequencyPenalty: number,
  responseLogprobs: boolean,
  logprobs: integer,
  enableEnhancedCivicAnswers: boolean,
  audioTimestamp: boolean,
  audioTranscriptionConfig: map,
  speechConfig: object({
    voiceConfig: voice,
    languageCode: string,
    multiSpeakerVoiceConfig: object({
      'speakerVoiceConfigs!': list(object({ 'speaker!': string, 'voiceConfig!': voice })),
    }),
  }),
  thinkingConfig: object({
    includeThoughts: boolean,
    thinkingBudget: integer,
    thinkingLevel: {
      type: 'string',
      pattern: '^(?:minimal|low|medium|high|MINIMAL|LOW|MEDIUM|HIGH|THINKING_LEVEL_UNSPECIFIED)$',
    },
  }),
  imageConfig: object({
    aspectRatio: string,
    imageSize: string,
    personGeneration: string,
    imageOutputOptions: map,
  }),
  mediaResolution: level,
  routingConfig: map,
  modelSelectionConfig: map,
})

const definitions: Record<string, object> = {
  schema,
  part,
  content: object({
    role: oneOf('user', 'model', 'function'),
    'parts!': list(to('part'), { minItems: 1 }),
  }),
  tool,
  generateContent: object({
    model: string,
    'contents!': list(to('content'), { minItems: 1 }),
    systemInstruction: object({ role: string, 'parts!': list(to('part'), { minItems: 1 }) }),
    tools: list(to('tool')),
    toolConfig: object({
      functionCallingConfig: object({
        mode: oneOf('AUTO', 'ANY', 'NONE', 'VALIDATED', 'MODE_UNSPECIFIED'),
        allowedFunctionNames: list(string),
        streamFunctionCallArguments: boolean,
      }),
      retrievalConfig: object({
        latLng: object({ latitude: number, longitude: number }),
        languageCode: string,
      }),
      includeServerSideToolInvocations: boolean,
    }),
    safetySettings: list(object({ 'category!': string, 'threshold!': string, method: string })),
    generationConfig,
    cachedContent: string,
    labels: { type: 'object', additionalProperties: string },
    serviceTier: string,
    store: boolean,
    modelArmorConfig: map,
    continuationToken: string,
    outputConfig: map,
  }),
  countTokens: object({
    contents: list(to('content'), { minItems: 1 }),
    systemInstruction: to('content'),
    tools: list(to('tool')),
    generateContentRequest: to('generateContent'),
  }),
  batchEmbedContents: object({
    'requests!': list(
      object({
        'model!': string,
        'content!': object({ role: string, 'parts!': list(to('part'), { minItems: 1 }) }),
        taskType: oneOf(
          'RETRIEVAL_QUERY',
          'RETRIEVAL_DOCUMENT',
          'SEMANTIC_SIMILARITY',
          'CLASSIFICATION',
          'CLUSTERING',
          'QUESTION_ANSWERING',
          'FACT_VERIFICATION',
          'CODE_RETRIEVAL_QUERY',
        ),
        title: string,
        outputDimensionality: integer,
      }),
      { minItems: 1, maxItems: 100 },
    ),
  }),
  batchGenerateContent: object({
    'batch!': object({
      'display_name!': string,
      'input_config!': object({
        requests: object({
          'requests!': list(object({ 'request!': to('generateContent'), metadata: map }), {
            minItems: 1,
          }),
        }),
        file_name: string,
      }),
      priority: string,
    }),
  }),
}

/** The shapes of Gemini's requests. */
export const geminiShapes: {
  readonly $id: string
  readonly source: string
  readonly definitions: Record<string, object>
} = {
  $id: 'gemini',
  source: "Google's documentation, read 2026-11-24",
  definitions,
}
