import type { RequestOptions } from '@modelport/core'
import { createEndpointClient, defined, requireConfig, stringOf } from '@modelport/driver'
import { toError } from './error.js'
import { name } from './messages.js'
import { configNames, connect, type OllamaConfig } from './provider.js'
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
export async function listModels(
  config: Omit<OllamaConfig, 'model'> = {},
  options?: RequestOptions,
): Promise<readonly OllamaModel[]> {
  requireConfig(config, 'listModels', configNames)
  const { url, headers, settings } = connect({ ...config, model: '' })
  const request = { url: `${url}/api/tags`, headers, inBandErrors: false }
  const response = await createEndpointClient(name, toError, settings).json<WireModels | null>(
    request,
    options,
  )
  const rows = Array.isArray(response?.models)
    ? (response.models as NonNullable<WireModels['models']>)
    : []
  return rows.flatMap((row) => {
    const { name: named, model, size, modified_at, details } = row ?? {}
    const id = stringOf(model) ?? stringOf(named)
    const facts = defined({
      sizeBytes: typeof size === 'number' ? size : undefined,
      modifiedAt: stringOf(modified_at),
      family: stringOf(details?.family),
      parameterSize: stringOf(details?.parameter_size),
      quantization: stringOf(details?.quantization_level),
    })
    return id === undefined ? [] : [{ id, ...facts }]
  })
}
