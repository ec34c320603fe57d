import type { ImageDialect, SpeechDialect, TranscriptionDialect } from '@modelport/chat-completions'

/** An endpoint that the vendor documents, and how it differs from the API that it follows. */
export interface DocumentedEndpoint<Dialect> {
  /** How it differs. */
  readonly dialect: Dialect
  /** Where it is written, or the name of the test that shows it. */
  readonly source: string
}

/** The endpoints besides conversations of a vendor that speaks Chat Completions. Unset: the vendor documents none. */
export interface MediaEndpoints {
  /** `POST /images/generations`. */
  readonly images?: DocumentedEndpoint<ImageDialect>
  /** `POST /audio/speech`. */
  readonly speech?: DocumentedEndpoint<SpeechDialect>
  /** `POST /audio/transcriptions`. */
  readonly transcription?: DocumentedEndpoint<TranscriptionDialect>
  /** `POST /rerank`. */
  readonly rerank?: DocumentedEndpoint<object>
}

const followed = 'nothing is known of this server; it is taken to follow the API'

/**
 * Vendors by name. A file of its own, apart from the rows: a program that only talks has none of it in its bundle. Read 2026-11-22.
 */
export const mediaEndpoints: Readonly<Record<string, MediaEndpoints>> = {
  'openai-compatible': {
    images: { dialect: {}, source: followed },
    speech: { dialect: {}, source: followed },
    transcription: { dialect: {}, source: followed },
    rerank: { dialect: {}, source: followed },
  },
  groq: {
    speech: {
      dialect: { formats: ['wav', 'mp3'], lacks: ['speed', 'instructions'] },
      source: 'https://github.com/groq/groq-typescript/blob/main/src/resources/audio/speech.ts',
    },
    transcription: { dialect: {}, source: 'https://console.groq.com/docs/speech-to-text' },
  },
  grok: {
    images: {
      dialect: {
        responseFormat: 'b64_json',
        aspectRatio: true,
        lacks: ['size', 'quality', 'background', 'format', 'images', 'mask'],
      },
      source: 'https://docs.x.ai/docs/guides/image-generation',
    },
  },
  'llamacpp-server': {
    rerank: {
      dialect: {},
      source: 'a real server (packages/provider-openai-compatible/test/rerank-server.test.ts)',
    },
  },
  mistral: {
    transcription: {
      dialect: { lacks: ['prompt', 'timestamps'], verbose: false },
      source: 'https://docs.mistral.ai/api/endpoint/audio/transcriptions',
    },
  },
  together: {
    images: {
      dialect: {
        responseFormat: 'base64',
        sizeFields: true,
        formats: ['png', 'jpeg'],
        lacks: ['quality', 'background', 'images', 'mask'],
      },
      source: 'https://github.com/togethercomputer/together-typescript/blob/main/src/resources/images.ts',
    },
    rerank: {
      dialect: {},
      source: 'https://github.com/togethercomputer/together-typescript/blob/main/src/resources/rerank.ts',
    },
  },
  vllm: {
    rerank: { dialect: {}, source: 'https://docs.vllm.ai/en/stable/examples/pooling/score/' },
  },
}
