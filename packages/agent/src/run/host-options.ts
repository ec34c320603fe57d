import type { Entropy } from '../base/ids.js'
import type { AgentStore } from '../session/agent-store.js'
import type { TaskKey } from '../session/task-store.js'

/** How a host is set up. */
export interface HostOptions {
  /** Default: a memory store. */
  readonly store?: AgentStore
  /** Clock and random source. Default: those of the platform. */
  readonly entropy?: Entropy
  /** Called with what fails inside and has no caller. Never gets secrets. Default: nothing. */
  onError?(error: unknown): void
  /** Called when the work on a task begins; the signal aborts when it ends. */
  onActive?(key: TaskKey, signal: AbortSignal): void
}
