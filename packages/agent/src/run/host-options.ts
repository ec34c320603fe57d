import { namesOf } from '@modelport/core/settings'
import type { Entropy } from '../base/ids.js'
import type { AgentStore } from '../session/agent-store.js'

/** How a host is set up. */
export interface HostOptions {
  /** Default: a memory store. */
  readonly store?: AgentStore | undefined
  /** Clock and random source. Default: those of the platform. */
  readonly entropy?: Entropy | undefined
  /**
   * Called with failures of work in the background, which no caller waits for. They hold no
   * secrets. Default: they are ignored.
   */
  readonly onError?: ((error: unknown) => void) | undefined
  /**
   * The address at which an agent takes the result of a call from whoever has its secret. A server
   * sets it. Default: the webhooks of calls have no `url`.
   */
  readonly webhookUrl?: ((agent: string, token: string) => string) | undefined
}

/** Names of {@link HostOptions}. */
export const hostOptionNames: readonly string[] = namesOf<HostOptions>({
  store: true,
  entropy: true,
  onError: true,
  webhookUrl: true,
})
