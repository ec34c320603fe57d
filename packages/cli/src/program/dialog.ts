import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Start } from '../context/start.js'
import { withAgentOptions } from './dialog-flags.js'
import { toCount, toNumberFrom } from './numbers.js'

/** `modelport dialog`: calls agents of the configuration. */
export function addDialog(program: Command, start: Start): void {
  const dialog = program.command('dialog').description('call an agent of the configuration')
  withAgentOptions(dialog.command('call <name>'))
    .description('make one agent call; shows its states on the error output')
    .option('--prompt <path>', 'open the turn with this prompt (default: with the task as it stands)')
    .option('-t, --task <text>', 'what to do, as {task} for the prompt (default: what is piped in)')
    .option('--arg <name=value>', 'a value for a placeholder; may be given several times', addArg)
    .option('--usage', 'print tokens and cost to the error output')
    .action(start(async () => (await import('../commands/dialog-call.js')).callDialog))
  withClassifyOptions(withAgentOptions(dialog.command('classify <name>')))
    .description('say which label fits a text, with probabilities')
    .option('-t, --task <text>', 'the text (default: what is piped in)')
    .action(start(async () => (await import('../commands/dialog-classify.js')).classifyText))
}

const withClassifyOptions = (command: Command): Command =>
  command
    .requiredOption('-l, --labels <labels>', 'the labels, with commas between them', toLabels)
    .addOption(
      new Option('--method <method>', 'how labels are found (default: the best that the provider can do)').choices([
        'logprobs',
        'grammar',
        'schema',
        'votes',
      ]),
    )
    .option('--votes <count>', 'calls for each text, for the methods by votes (default: 5)', toCount)
    .option('--question <text>', 'what the model is asked, with {classes} for the labels')
    .option(
      '--min-coverage <share>',
      'minimum probability that must fall on labels, 0 to 1 (default: 0.5)',
      toNumberFrom(0, 1),
    )

function toLabels(text: string): readonly string[] {
  const labels = text.split(',').map((label) => label.trim())
  if (labels.length < 2 || labels.includes('')) throw new InvalidArgumentError('write at least two, as good,bad.')
  return labels
}

function addArg(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('write it as name=value.')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}
