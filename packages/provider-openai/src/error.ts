import { toChatError } from '@modelport/chat-completions'
import type { ErrorCode, ProviderError } from '@modelport/core'
import { type HttpFailure, toProviderError } from '@modelport/driver'
import type { WireError } from './wire.js'

/**
 * Codes of this API that mean more than their status, besides those of Chat Completions.
 * @see https://developers.openai.com/api/docs/guides/error-codes (read 2026-11-21)
 */
const codes: Readonly<Record<string, ErrorCode>> = {
  invalid_prompt: 'content-filter',
  bio_policy: 'content-filter',
  misalignment_policy_violation: 'content-filter',
  ResponsibleAIPolicyViolation: 'content-filter',
  organization_usage_limit_exceeded: 'quota-exhausted',
  unsupported_country_region_territory: 'permission',
  DeploymentNotFound: 'not-found',
  data_residency_mismatch: 'invalid-request',
  empty_image_file: 'invalid-request',
  failed_to_download_image: 'invalid-request',
  image_file_not_found: 'invalid-request',
  image_file_too_large: 'invalid-request',
  image_parse_error: 'invalid-request',
  image_too_large: 'invalid-request',
  image_too_small: 'invalid-request',
}

/** Names a failure of either API, whole or inside a reply. Pure. */
export function toError(provider: string, failure: HttpFailure): ProviderError {
  const outer = asError(failure.body)
  const error = asError(outer.error ?? outer)
  const words = [asError(error.innererror).code, error.code].map(String)
  const known = words.find((word) => Object.hasOwn(codes, word))
  if (known === undefined) return toChatError(provider, failure)
  const { message } = error
  return toProviderError(provider, failure, {
    code: codes[known],
    type: known,
    ...(typeof message === 'string' && { message }),
  })
}

const asError = (value: unknown): WireError =>
  typeof value === 'object' && value !== null ? value : {}
