import { UsageError } from '../errors/exit-codes.js'

const secretFlag =
  /^--?(?:(?:api|auth|access|secret|private|bearer)[-_]?)*(?:key|token|secret|password|passwd|bearer|credentials?)$/i

/**
 * Refuses an option that would carry a key: everybody on the computer can read a process's
 * arguments. The given value is not repeated.
 */
export function refuseSecretFlags(args: readonly string[]): void {
  for (const argument of args) {
    if (argument === '--') return
    const flag = argument.split('=', 1)[0] ?? ''
    if (secretFlag.test(flag)) {
      throw new UsageError(
        `${flag} is not offered: others on this computer can read a process's arguments. Set the variable of the key, or pipe it into "modelport init --key-stdin". If the key is real, replace it: it is in your shell's history.`,
      )
    }
  }
}
