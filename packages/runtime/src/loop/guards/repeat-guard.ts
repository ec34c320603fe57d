import { canonicalJson } from '../../base/canonical-json.js'
import { jsonHash } from '../../base/json-hash.js'
import type { Action } from '../../reply/action.js'

/** Remembers the last successful actions and refuses to execute one of them again. */
export class RepeatGuard {
  readonly #window: number
  readonly #repeatable: ReadonlySet<string>
  /** Signatures, or hashes of signatures for those restored after a resume. */
  #recent: readonly string[]
  readonly #hasHashes: boolean

  /**
   * @param window how many actions are remembered;
   * @param repeatable tools that may be called again;
   * @param recent hashes to restore
   */
  constructor(window: number, repeatable: readonly string[] = [], recent: readonly string[] = []) {
    this.#window = window
    this.#repeatable = new Set(repeatable)
    this.#recent = recent
    this.#hasHashes = recent.length > 0
  }

  /**
   * Signatures or hashes of the actions that are remembered, oldest first; see
   * {@link hashSignature}.
   */
  get recent(): readonly string[] {
    return this.#recent
  }

  /** True when the action is among the last successful ones. A final reply never is. */
  repeats(action: Action): boolean {
    if (!this.#counts(action)) return false
    const signature = signatureOf(action)
    return (
      this.#recent.includes(signature) ||
      (this.#hasHashes && this.#recent.includes(hashSignature(signature)))
    )
  }

  /** Remembers an action that succeeded. A failed action may be tried again. */
  remember(action: Action): void {
    if (!this.#counts(action) || this.#window === 0) return
    this.#recent = [...this.#recent, signatureOf(action)].slice(-this.#window)
  }

  #counts(action: Action): boolean {
    return (
      action.type !== 'final' && !(action.type === 'tool_call' && this.#repeatable.has(action.tool))
    )
  }
}

/** The key of an action, independent of the order of its fields and without the model's thought. */
export function signatureOf(action: Action): string {
  const known = signatures.get(action)
  if (known !== undefined) return known
  const { thought: _thought, ...rest } = action
  const signature = canonicalJson(rest)
  signatures.set(action, signature)
  return signature
}

/** Each action is asked for three times; what it is never changes. */
const signatures = new WeakMap<Action, string>()

/** A signature as a checkpoint stores it. A hash stays as it is. */
export const hashSignature = (signature: string): string =>
  signature.startsWith('{') ? jsonHash(signature).slice(0, 24) : signature
