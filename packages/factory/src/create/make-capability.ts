import {
  type BatchRunner,
  type ImageGenerator,
  type JsonObject,
  LlmError,
  type Reranker,
  type SpeechGenerator,
  type Transcriber,
} from '@modelport/core'
import type { ModelConfig } from '../config/model-config.js'
import { type FactoryContext, resolveModel } from '../resolve/resolve.js'
import { creatorsOf, type LoadCreators, ofConfig, toSettings } from './creation.js'

/** The capabilities of a model besides provider and embedder. */
export interface CapabilityTypes {
  /** Makes images. */
  readonly images: ImageGenerator
  /** Speaks text. */
  readonly speech: SpeechGenerator
  /** Writes down what is said. */
  readonly transcription: Transcriber
  /** Orders documents by a query. */
  readonly reranking: Reranker
  /** Runs many requests later, at a lower price. */
  readonly batches: BatchRunner
}

/** The creator of each, and its word in the message if a provider has none. */
const kinds = {
  images: ['createImages', 'images'],
  speech: ['createSpeech', 'speech'],
  transcription: ['createTranscriber', 'transcription'],
  reranking: ['createReranker', 'reranking'],
  batches: ['createBatches', 'batches'],
} as const

/** Creates a capability from a configuration. Throws like `newProvider`; `unsupported` if the provider does not have it. */
export async function makeCapability<Kind extends keyof CapabilityTypes>(
  kind: Kind,
  load: LoadCreators,
  config: ModelConfig | string,
  context: FactoryContext = {},
): Promise<CapabilityTypes[Kind]> {
  const model = resolveModel(config, context)
  const settings = toSettings(model, context)
  const [creator, what] = kinds[kind]
  const create = (await creatorsOf(model.row, load))[creator]
  if (!create)
    throw new LlmError('unsupported', `${model.row.name}: modelport has no ${what} for it; choose another provider`)
  // Each package declares its own settings, and the row has made exactly those.
  return ofConfig(() => (create as (settings: JsonObject) => CapabilityTypes[Kind])(settings))
}
