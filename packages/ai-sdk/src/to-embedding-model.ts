import type {
  EmbeddingModelV2,
  EmbeddingModelV3,
  EmbeddingModelV4,
  EmbeddingModelV4CallOptions,
} from '@ai-sdk/provider'
import { type Embedder, mergeOptions, withoutNulls } from '@modelport/core'
import { checkSettings } from '@modelport/core/settings'
import { toHeaders } from './call.js'
import { toApiCallError } from './errors.js'
import { LastResponse } from './last-response.js'
import { lostVendorOptions, toWarning } from './lost-options.js'
import { ownOptions } from './own-options.js'
import type { BySpecification, SpecificationName } from './specification.js'

/** How an embedder becomes a model of the AI SDK. */
export interface EmbeddingModelOptions<Specification extends SpecificationName> {
  /** The specification of the model: `v2` for `ai` 5, `v3` for `ai` 6. Default `v4`, for `ai` 7. */
  readonly specification?: Specification | undefined
}

/**
 * Any embedder as a model of the AI SDK, for `embed` and `embedMany`. `providerOptions.modelport`
 * are our options of `embed`, such as `purpose`; the length of the vectors is set where the
 * embedder is made.
 * @throws {TypeError} an option is not known.
 */
export function toEmbeddingModel<Specification extends SpecificationName = 'v4'>(
  embedder: Embedder,
  options: EmbeddingModelOptions<Specification> = {},
): BySpecification<EmbeddingModelV2<string>, EmbeddingModelV3, EmbeddingModelV4>[Specification] {
  checkSettings('toEmbeddingModel', options, ['specification'])
  const model = {
    provider: embedder.name,
    modelId: embedder.model,
    // The embedder cuts its texts into requests that the vendor takes.
    maxEmbeddingsPerCall: undefined,
    supportsParallelCalls: true,
    doEmbed: (call: EmbeddingModelV4CallOptions) => embed(embedder, call),
  }
  const models = {
    v2: { specificationVersion: 'v2', ...model },
    v3: { specificationVersion: 'v3', ...model },
    v4: { specificationVersion: 'v4', ...model },
  } as const
  return models[options.specification ?? 'v4'] as ReturnType<typeof toEmbeddingModel<Specification>>
}

async function embed(embedder: Embedder, call: EmbeddingModelV4CallOptions) {
  const { values, dimensions, abortSignal, headers, providerOptions } = call
  const given = { signal: abortSignal, retry: { attempts: 1 }, ...toHeaders(headers) }
  const response = new LastResponse()
  try {
    const { retry = {}, ...options } = withoutNulls(
      mergeOptions(given, ownOptions(providerOptions)),
    )
    const { vectors, usage } = await embedder.embed(values, {
      ...options,
      retry: response.observe(retry),
    })
    return {
      embeddings: vectors.map((vector) => [...vector]),
      ...(usage.reported && { usage: { tokens: usage.inputTokens } }),
      ...response.fields,
      warnings: [
        ...lostVendorOptions(providerOptions),
        ...(dimensions === undefined
          ? []
          : [toWarning('dimensions', 'set them where the embedder is made')]),
      ],
    }
  } catch (error) {
    throw toApiCallError(error, response)
  }
}
