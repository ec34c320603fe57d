import { readPrompts } from '@modelport/dialog/node'
import { join } from 'node:path'
import { Argument, type Command } from 'commander'
import { exitCodes } from '../errors/exit-codes.js'
import type { Cli, CommonOptions } from '../context/cli.js'
import { type Start, withCommonOptions } from '../context/start.js'

/** `modelport prompts check`: everything that would go wrong in the middle of a call. */
export function addPrompts(program: Command, start: Start): void {
  withCommonOptions(program.command('prompts'))
    .description('check a folder of Markdown prompts; problems name their file')
    .addArgument(new Argument('<action>', 'what to do').choices(['check']))
    .argument('[folder]', 'where the prompts are', 'prompts')
    .action((_action: string, folder: string, options: CommonOptions) => start(options, (cli) => check(cli, folder)))
}

async function check({ out, json }: Cli, folder: string): Promise<number> {
  const { prompts, unreadable } = await readPrompts(folder)
  const found = prompts.list().map(({ path, hash, placeholders }) => ({ path, hash, placeholders }))
  const problems = [
    // These messages begin with the file.
    ...unreadable.flatMap(({ path, problems: found }) =>
      found.map((problem) => ({ problem: { path, ...problem }, text: problem.message })),
    ),
    ...prompts.check().map((problem) => ({ problem, text: `${join(folder, problem.path)}.md: ${problem.message}` })),
  ]
  if (json) out.json({ prompts: found, problems: problems.map(({ problem }) => problem) })
  else {
    for (const { path, hash, placeholders } of found)
      out.line(
        out.foreign(`${path}  ${hash.slice(0, 12)}  ${placeholders.map((name) => `{${name}}`).join(' ')}`.trimEnd()),
      )
    for (const { text } of problems) out.line(out.style('red', out.foreign(text)))
  }
  return problems.length ? exitCodes.unhealthy : exitCodes.done
}
