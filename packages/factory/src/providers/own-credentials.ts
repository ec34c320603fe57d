import { configError } from '@modelport/core'
import type { ResolvedModel } from './row.js'

/** Credentials that belong to this computer, and that the configuration does not have itself. */
interface OwnCredentials {
  /** The setting that sends them, for the message. */
  readonly what: string
  /** The domains of the cloud that they are for. */
  readonly domains: readonly string[]
  /** What a configuration gives for another address. */
  readonly instead: string
}

/**
 * Refuses to send this computer's own credentials to anybody but their cloud, or the address that a
 * variable of the vendor names.
 * @throws {LlmError} `config` — the address is another one.
 */
export function refuseElsewhere(
  { row, baseUrl }: ResolvedModel,
  { what, domains, instead }: OwnCredentials,
): void {
  if (!baseUrl) return

  const { protocol, hostname } = new URL(baseUrl.href)
  const isTheirs =
    protocol === 'https:' && domains.some((domain) => hostname.endsWith(`.${domain}`))
  const isNamed = baseUrl.variable !== undefined && row.baseUrlEnv?.includes(baseUrl.variable)
  if (isTheirs || isNamed) return

  const hosts = domains.map((domain) => `*.${domain}`).join(' and ')
  throw configError(
    `${what}, and only to ${hosts}, not to ${baseUrl.host}; give ${instead} for another address`,
  )
}
