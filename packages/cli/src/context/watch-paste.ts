import type { Interface } from 'node:readline'
import type { Io } from '../terminal/io.js'

/**
 * Asks the terminal to mark pasted text (bracketed paste), so that line ends in it do not send it.
 */
export function watchPaste(
  stdin: Io['stdin'],
  output: Io['stdout'],
  lines: Interface,
): { active(): boolean; end(): void } {
  let active = false
  const onKeypress = (_text: unknown, key: { readonly name?: string } | undefined): void => {
    if (key?.name === 'paste-start') active = true
    if (key?.name === 'paste-end') active = false
    // A tab of the text is one.
    Object.assign(lines, { isCompletionEnabled: !active })
  }
  output.write('\u001b[?2004h')
  stdin.on('keypress', onKeypress)
  return {
    active: () => active,
    end: () => {
      stdin.off('keypress', onKeypress)
      output.write('\u001b[?2004l')
    },
  }
}
