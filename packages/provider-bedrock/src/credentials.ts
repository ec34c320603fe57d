import { isObject, LlmError } from '@modelport/core'
import { providerName } from './error.js'

/** Keys of an AWS identity. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Belongs to temporary keys. */
  readonly sessionToken?: string | undefined
}

/** Where credentials come from. */
export type CredentialSource = AwsCredentials | (() => AwsCredentials | Promise<AwsCredentials>) | 'default-chain'

/**
 * The keys alone, checked.
 * @throws {LlmError} `config` — a key is missing, or has a character that no key has. The message has no key.
 */
export function toAwsCredentials(value: unknown): AwsCredentials & { readonly sessionToken?: string } {
  const given = isObject(value) ? value : {}
  const names = ['accessKeyId', 'secretAccessKey', ...(given['sessionToken'] ? ['sessionToken'] : [])]
  const broken = names.find((name) => typeof given[name] !== 'string' || !/^[\x21-\x7e]+$/.test(given[name]))
  if (broken !== undefined)
    throw new LlmError('config', `${providerName}: credentials.${broken} must be text of visible ASCII without spaces`)
  return Object.fromEntries(names.map((name) => [name, given[name]])) as unknown as ReturnType<typeof toAwsCredentials>
}
