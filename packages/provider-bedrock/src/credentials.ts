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

/** @throws {LlmError} `config` — credentials that are neither keys, nor a function, nor `'default-chain'`. */
export function checkCredentials(source: CredentialSource): void {
  if (typeof source !== 'function' && source !== 'default-chain') toAwsCredentials(source)
}

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

/**
 * Hosts that the standard chain may contact: STS for roles, SSO and sign-in, and the metadata of instances and containers. SSO may be in
 * another region than Bedrock: `enforceHosts` then needs its hosts too.
 * @see https://github.com/aws/aws-sdk-js-v3 (`credential-provider-node` 3.972.99 and what it loads, read 2026-11-27)
 */
export const chainHosts = (region: string): readonly string[] => [
  `sts.${region}.amazonaws.com:443`,
  `portal.sso.${region}.amazonaws.com:443`,
  `oidc.${region}.amazonaws.com:443`,
  `${region}.signin.aws.amazon.com:443`,
  '169.254.169.254:80',
  '169.254.170.2:80',
  '169.254.170.23:80',
]
