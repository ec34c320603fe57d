import { configError, isObject } from '@modelport/core'
import { providerName } from './error.js'

/** Keys of an AWS identity. */
export interface AwsCredentials {
  /** The id, which requests show. */
  readonly accessKeyId: string
  /** The secret, which signs and is never sent. */
  readonly secretAccessKey: string
  /** Belongs to temporary keys. */
  readonly sessionToken?: string | undefined
}

/** Where credentials come from. */
export type CredentialSource =
  | AwsCredentials
  | (() => AwsCredentials | Promise<AwsCredentials>)
  | 'default-chain'

/**
 * The keys alone, checked.
 * @throws {LlmError} `config` — a key is missing, or has a character that no key has. The message
 * has no key.
 */
export function toAwsCredentials(
  value: unknown,
): AwsCredentials & { readonly sessionToken?: string } {
  const fields = isObject(value) ? value : {}
  const names = [
    'accessKeyId',
    'secretAccessKey',
    ...(fields['sessionToken'] ? ['sessionToken'] : []),
  ]
  const [accessKeyId = '', secretAccessKey = '', sessionToken] = names.map((name) => {
    const key = fields[name]
    if (typeof key === 'string' && /^[\x21-\x7e]+$/.test(key)) return key
    throw configError(
      `${providerName}: credentials.${name} must be text of visible ASCII without spaces`,
    )
  })
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
}
