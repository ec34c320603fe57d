import { isLlmError } from '@modelport/core'
import { loadPrompts } from '@modelport/dialog/node'
import { Argument, type Command } from 'commander'
import { exitCodes } from '../errors/exit-codes.js'
import type { Cli, CommonOptions } from '../program/cli.js'
import { type Start, withCommonOptions } from './start.js'

/** `modelport prompts check`: everything that would go wrong in the middle of a call. */
export function addPrompts(program: Command, start: Start): void {
  withCommonOptions(program.command('prompts'))
    .description('check a folder of Markdown prompts; problems name file and line')
    .addArgument(new Argument('<action>', 'what to do').choices(['check']))
    .argument('[folder]', 'where the prompts are', 'prompts')
    .action((_action: string, folder: string, options: CommonOptions) => start(options, (cli) => check(cli, folder)))
}

async function check({ out, json }: Cli, folder: string): Promise<number> {
  try {
    const prompts = await loadPrompts(folder)
    const problems = prompts.check()
    const found = prompts.list().map(({ path, hash, placeholders }) => ({ path, hash, placeholders }))
    if (json) out.json({ prompts: found, problems })
    else {
      for (const { path, hash, placeholders } of found)
        out.line(
          out.foreign(`${path}  ${hash.slice(0, 12)}  ${placeholders.map((name) => `{${name}}`).join(' ')}`.trimEnd()),
        )
      for (const { message } of problems) out.line(out.style('red', out.foreign(message)))
    }
    return problems.length ? exitCodes.unhealthy : exitCodes.done
  } catch (error) {
    if (!isLlmError(error, 'config') || !json) throw error
    out.json({ prompts: [], problems: [{ message: error.message }] })
    return exitCodes.unhealthy
  }
}
