import { Command, type OutputConfiguration } from 'commander'
import { type Start, withCommonOptions } from './context/start.js'
import { addCommands } from './program/commands.js'
import type { Io } from './terminal/io.js'
import { toTerminalText } from './terminal/terminal-text.js'
import { packageVersion, pageAddress } from './version.js'

/**
 * What is wrong with the arguments, without the value of an option that is not known: it may be a
 * key.
 */
const toUsageMessage = (text: string): string =>
  toTerminalText(
    text
      .replace(/('--?[^'=\s]+)=[^']*'/g, `$1'`)
      .replace(/ is invalid\. (must |\S)/, toOneSentence),
  )

/** Commander puts what is expected into a sentence of its own. */
const toOneSentence = (_found: string, first: string): string =>
  ` is invalid: ${first === 'must ' ? `it ${first}` : first.toLowerCase()}`

const everyCommand = (command: Command): Command[] => [
  command,
  ...command.commands.flatMap(everyCommand),
]

/** What the user types for the help of a command: its name after those of its parents. */
const helpOf = (command: Command): string =>
  `${command.parent ? helpOf(command.parent).replace(/ --help$/, '') : ''} ${command.name()} --help`.trim()

/**
 * The options of a command that begin like one that it does not have: better than those that only
 * look like it.
 */
function withSuggestion(text: string, command: Command): string {
  const [, typed = ''] = /^error: unknown option '(--[\w-]+)/.exec(text) ?? []
  const names = command.options.flatMap(({ long }) =>
    typed && long?.startsWith(typed) ? [long] : [],
  )
  const first = text.split('\n')[0] ?? ''
  if (names.length) return `${first}\n(Did you mean ${names.join(' or ')}?)\n`
  // Every command has it, so it always looks a little like what was typed.
  return text.includes('(Did you mean --help?)') && !typed.startsWith('--h') ? `${first}\n` : text
}

/**
 * The whole command line, not yet run. It throws where commander would end the process, and
 * `problem` has then what was wrong.
 */
export function createProgram(
  io: Pick<Io, 'stdout' | 'stderr'>,
  start: Start,
  json: boolean,
): { readonly program: Command; readonly problem: () => string } {
  let problem = ''
  const program = withCommonOptions(new Command('modelport'))
    .enablePositionalOptions()
    .description('Talk to any language model.')
    .version(packageVersion(), '-v, --version')
    .showSuggestionAfterError()
    .addHelpText('after', `\nExit codes and everything else: ${pageAddress('docs/cli.md')}`)
  const outputOf = (command: Command): OutputConfiguration => ({
    writeOut: (text: string) => {
      io.stdout.write(text)
    },
    writeErr: (text: string) => {
      io.stderr.write(text)
    },
    outputError: (text: string, write: (text: string) => void) => {
      const told = toUsageMessage(withSuggestion(text, command))
      if (text.startsWith('error: ')) problem = told.replace(/^error: /, '').trimEnd()
      if (!json) write(told)
    },
    getOutHelpWidth: () => io.stdout.columns ?? 80,
    getErrHelpWidth: () => io.stderr.columns ?? 80,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  })
  addCommands(program, start)
  for (const command of everyCommand(program)) {
    command.configureOutput(outputOf(command)).exitOverride()
    if (!json) command.showHelpAfterError(`For usage, run: ${helpOf(command)}`)
  }
  return { program, problem: () => problem }
}
