import type { Action } from '../reply/action.js'
import { canonicalJson } from '../base/canonical-json.js'

/** Remembers the last successful actions, so that none of them is executed again while its result is at hand. */
export class RepeatGuard {
  readonly #window: number
  readonly #repeatable: ReadonlySet<string>
  readonly #recent: string[] = []

  /** @param window how many actions are remembered; @param repeatable tools that may be called again */
  constructor(window: number, repeatable: readonly string[] = []) {
    this.#window = window
    this.#repeatable = new Set(repeatable)
  }

  /** True when the action is among the last successful ones. An answer never is. */
  repeats(action: Action): boolean {
    return this.#counts(action) && this.#recent.includes(signatureOf(action))
  }

  /** Remembers an action that succeeded. One that failed may be tried again. */
  remember(action: Action): void {
    if (!this.#counts(action) || this.#window === 0) return
    this.#recent.push(signatureOf(action))
    if (this.#recent.length > this.#window) this.#recent.shift()
  }

  #counts(action: Action): boolean {
    return action.type !== 'final' && !(action.type === 'tool_call' && this.#repeatable.has(action.tool))
  }
}

/** The same for the same call, whatever the order of its keys; what the model thought does not count. */
export function signatureOf(action: Action): string {
  const { thought: _thought, ...rest } = action
  return canonicalJson(rest)
}
