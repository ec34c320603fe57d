/**
 * Splits a command into words as a POSIX shell does; of its quotes, single ones and a backslash
 * before one are known.
 */
export const shellWords = (command: string): string[] =>
  (command.match(/(?:'[^']*'|\\'|[^\s'\\])+/g) ?? []).map((word) =>
    word.replace(
      /'([^']*)'|\\(')/g,
      (_, quoted: string | undefined, mark: string | undefined) => quoted ?? mark ?? '',
    ),
  )

/** The flags of the command that is the last line of a text. */
export const flagsOf = (text: string): string[] =>
  shellWords(text.trim().split('\n').at(-1) ?? '').filter((word) => word.startsWith('--'))
