// The commands of a page with what they print: the `text` blocks in which a line begins with `$ `.
import { isPrinted } from '../../test/support/printed-text.ts'
import { readText } from '../../test/support/repository.ts'
import { Mishap } from './visitor.mjs'

/** The `text` block of a page that holds this line. */
export function blockWith(page, line) {
  const blocks = [...readText(page).matchAll(/^```text\n([^]*?)^```$/gm)].map(([, text]) => text)
  const found = blocks.find((text) => text.split('\n').some((one) => one.startsWith(line)))
  if (found === undefined) throw new Error(`${page} has no block with the line "${line}"`)
  return found
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Types the commands of a transcript one after the other, and compares what each prints. TASK is
 * the first task that one of them lists. A list is looked at again until it is as the page says: a
 * process may still be at work.
 *
 * @param change makes a command fit this machine; `pauseMs` passes before each
 */
export async function follow(
  transcript,
  visitor,
  { change = (command) => command, pauseMs = 0 } = {},
) {
  let task
  let count = 0
  for (const part of transcript.split(/^\$ /m).slice(1)) {
    const [line, ...expected] = part.split('\n')
    const command = change(line.replaceAll('TASK', () => task))
    const until = Date.now() + 15_000
    for (;;) {
      await pause(pauseMs)
      const running = visitor.start(command)
      await running.ended
      task ??= /^task {2}(\S+)/m.exec(running.output)?.[1]
      const prints = change(expected.join('\n').replaceAll('TASK', () => task))
      if (isPrinted(prints, running.output)) break
      if (!/ tasks /.test(command) || Date.now() > until)
        throw new Mishap(command, running.output, prints)
      task = undefined
      await pause(200)
    }
    count++
  }
  return count
}
