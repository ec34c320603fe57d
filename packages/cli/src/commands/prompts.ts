import { join } from 'node:path'
import { readPrompts } from '@modelport/dialog/node'
import type { Cli } from '../context/cli.js'
import { exitCodes } from '../errors/exit-codes.js'

/** Prints the prompts of a folder and what is wrong with them. */
export async function check(
  { out, err, json }: Cli,
  _action: 'check',
  folder: string,
): Promise<number> {
  const { prompts, unreadable } = await readPrompts(folder)
  const found = prompts.list().map(({ path, hash, placeholders }) => ({ path, hash, placeholders }))
  const problems = [
    // These messages begin with the file.
    ...unreadable.flatMap(({ path, problems: found }) =>
      found.map((problem) => ({ problem: { path, ...problem }, text: problem.message })),
    ),
    ...prompts.check().map((problem) => ({
      problem,
      text: `${join(folder, problem.path)}.md: ${problem.message}`,
    })),
  ]
  if (json) out.json({ prompts: found, problems: problems.map(({ problem }) => problem) })
  else {
    for (const { path, hash, placeholders } of found)
      out.line(
        out.foreign(
          `${path}  ${hash.slice(0, 12)}  ${placeholders.map((name) => `{${name}}`).join(' ')}`.trimEnd(),
        ),
      )
    const count = `${found.length} prompt${found.length === 1 ? '' : 's'}`
    if (!problems.length)
      err.line(found.length ? count : `${count}: ${err.foreign(folder)} has no Markdown files`)
    for (const { text } of problems) out.line(out.style('red', out.foreign(text)))
  }
  return problems.length ? exitCodes.unhealthy : exitCodes.done
}
