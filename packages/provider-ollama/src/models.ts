import { createJsonClient, type JsonCallOptions } from '@modelport/driver'
import { toError } from './error.js'
import { name } from './messages.js'
import { connect, type OllamaConfig } from './provider.js'
import type { WireModels } from './wire.js'

/** A model the server has. */
export interface OllamaModel {
  /** What to give as `model`. */
  readonly id: string
  /** Size of its file, in bytes. */
  readonly sizeBytes?: number
  /** When it was last changed, ISO 8601. */
  readonly modifiedAt?: string
  /** For example `llama`. */
  readonly family?: string
  /** For example `8.0B`. */
  readonly parameterSize?: string
  /** For example `Q4_K_M`. */
  readonly quantization?: string
}

/**
 * The models the server has, by `GET /api/tags`. Throws like a call of the provider.
 * @see https://docs.ollama.com/api/tags (read 2026-11-21)
 */
export async function listModels(config: Omit<OllamaConfig, 'model'> = {}, options?: JsonCallOptions): Promise<readonly OllamaModel[]> {
  const { url, headers, settings } = connect({ ...config, model: '' })
  const { models } = await createJsonClient(name, toError, settings).request<WireModels>({ url: `${url}/api/tags`, headers }, options)
  return (models ?? []).flatMap(({ name: id, model, size, modified_at, details }) => {
    const facts = {
      sizeBytes: size,
      modifiedAt: modified_at,
      family: details?.family,
      parameterSize: details?.parameter_size,
      quantization: details?.quantization_level,
    }
    const known = Object.entries(facts).filter(([, value]) => value !== undefined && value !== '')
    const chosen = model ?? id
    return chosen ? [{ id: chosen, ...Object.fromEntries(known) }] : []
  })
}
