import { type Command, InvalidArgumentError } from 'commander'
import { type Start, withCommonOptions } from '../context/start.js'

/** `modelport dialog`: calls agents of the configuration. */
export function addDialog(program: Command, start: Start): void {
  const dialog = program.command('dialog').description('call an agent of the configuration')
  withCommonOptions(dialog.command('call <name>'))
    .description('make one agent call; shows its states on the error output')
    .option('-a, --agents <file>', 'TOML with agent_configs or YAML with agents (default: the configuration)')
    .option('-p, --prompts <folder>', 'Markdown prompts (default: "prompts" next to the file of the agents)')
    .option('--prompt <path>', 'open the turn with this prompt (default: with the task as it stands)')
    .option('-t, --task <text>', 'what to do, as {task} for the prompt (default: what is piped in)')
    .option('--arg <name=value>', 'a value for a placeholder; may be given several times', addArg)
    .option('--usage', 'print tokens and cost to the error output')
    .action(start(async () => (await import('../commands/dialog-call.js')).callDialog))
}

function addArg(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('write it as name=value.')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}
