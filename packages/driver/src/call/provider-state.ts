import { createRedact, headerSecrets, type Redact } from '@modelport/core'
import { defined } from '../base/defined.js'
import type { Driver, Fetch } from '../base/driver.js'
import {
  defaultLimits,
  defaultTimeouts,
  type ResponseLimits,
  type Timeouts,
} from '../base/limits.js'
import { ownCopy } from '../base/own-copy.js'
import { checkConfig, commonNames } from '../config/check-config.js'
import type { ProviderSettings } from '../config/config.js'
import { createRetryBucket, type RetryBucket } from '../config/retry.js'
import { proxySecrets } from '../transport/proxy.js'
import { createTransport } from '../transport/transport.js'

/** The members of every driver, whatever it sends and reads. */
export type AnyDriver = Pick<
  Driver<never>,
  'name' | 'send' | 'error' | 'takesTemperature' | 'streamsWhole'
>

/** What a provider keeps between its calls. */
export interface ProviderState<Kind extends AnyDriver = AnyDriver> {
  readonly driver: Kind
  readonly config: Omit<ProviderSettings, 'secrets'>
  /** Redacts the provider's secrets, and these. */
  redactWith(more: readonly string[]): Redact
  readonly bucket: RetryBucket
  readonly timeouts: Timeouts
  readonly limits: ResponseLimits
  readonly fetch: Fetch
  /** `host:port` list; undefined allows any host. */
  readonly allowedHosts: readonly string[] | undefined
}

const keptNames = [...commonNames, 'hosts', 'selfHosted', 'capabilities']

/**
 * The settings that the driver reads. Keys are left out, and so is anything that only the provider
 * package reads, even if the package passes it on.
 */
const toKept = (settings: ProviderSettings): Omit<ProviderSettings, 'secrets'> =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => keptNames.includes(name))) as Omit<
    ProviderSettings,
    'secrets'
  >

/** Checks the settings; secrets are bound into `redactWith` and kept nowhere else. */
export function createProviderState<Kind extends AnyDriver>(
  driver: Kind,
  settings: ProviderSettings,
): ProviderState<Kind> {
  const { secrets } = settings
  const ownSettings = toKept(settings)
  const allowedHosts = checkConfig(settings, driver)?.slice()
  // The application may change these objects later, or make another provider of them.
  const { defaults, headers, limits, timeouts } = ownSettings
  const config = { ...ownSettings, ...defined(ownCopy({ defaults, headers, limits, timeouts })) }
  const ownSecrets = [...headerSecrets(config.headers), ...proxySecrets(config.proxy)]
  const redactWith = (more: readonly string[]): Redact =>
    typeof secrets === 'function'
      ? createRenewedRedact(() => [...secrets(), ...ownSecrets, ...more])
      : createRedact([...(secrets ?? []), ...ownSecrets, ...more])
  const redact = redactWith([])
  return {
    driver,
    config,
    allowedHosts,
    redactWith: (more) => (more.length ? redactWith(more) : redact),
    bucket: config.retryBucket ?? createRetryBucket(),
    timeouts: { ...defaultTimeouts, ...defined({ ...config.timeouts }) },
    limits: { ...defaultLimits, ...defined({ ...config.limits }) },
    fetch: createTransport(config),
  }
}

/**
 * Redacts the current secrets; the search for them is prepared again only when they have changed.
 */
function createRenewedRedact(secrets: () => readonly (string | undefined)[]): Redact {
  let known: { readonly key: string; readonly redact: Redact } | undefined
  return (text) => {
    const now = secrets()
    const key = now.join('\0')
    if (known?.key !== key) known = { key, redact: createRedact(now) }
    return known.redact(text)
  }
}
