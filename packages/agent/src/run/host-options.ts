import type { Entropy } from '../base/ids.js'
import type { AgentStore } from '../session/agent-store.js'
import type { TaskKey } from '../session/task-store.js'

/** How a host is set up. */
export interface HostOptions {
  /** Default: a memory store. */
  readonly store?: AgentStore | undefined
  /** Clock and random source. Default: those of the platform. */
  readonly entropy?: Entropy | undefined
  /** Called with failures of work in the background, which no caller waits for. They hold no secrets. Default: they are ignored. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** Called when the work on a task begins; the signal aborts when it ends. */
  readonly onActive?: ((key: TaskKey, signal: AbortSignal) => void) | undefined
}
