/** Exit codes that stand for no error code. docs/cli.md has the whole table. */
export const exitCodes = {
  done: 0,
  unknown: 1,
  usage: 2,
  /** A task is over, and an approval that it asked for was refused. The code of `permission`. */
  refused: 4,
  /** `doctor` found a model that does not work. */
  unhealthy: 20,
  /** `agent send`: a call waits for somebody to say what became of it. */
  undecided: 21,
  /** Ctrl-C. */
  interrupted: 130,
} as const

/** The command was called in a way that cannot be meant. */
export class UsageError extends Error {}
Object.defineProperty(UsageError.prototype, 'name', { value: 'UsageError' })

/** The user pressed Ctrl-C. */
export class Interrupted extends Error {}
Object.defineProperty(Interrupted.prototype, 'name', { value: 'Interrupted' })
