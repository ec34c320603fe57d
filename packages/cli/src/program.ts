import { Command } from 'commander'
import { addAgent } from './commands/agent.js'
import { addChat } from './commands/chat.js'
import { addComplete } from './commands/complete.js'
import { addCompletion } from './commands/completion.js'
import { addDialog } from './commands/dialog.js'
import { addDoctor } from './commands/doctor.js'
import { addHosts } from './commands/hosts.js'
import { addImage } from './commands/image.js'
import { addInit } from './commands/init.js'
import { addModels } from './commands/models.js'
import { addPrompts } from './commands/prompts.js'
import { addRecord } from './commands/record.js'
import { addReplay } from './commands/replay.js'
import { addRerank } from './commands/rerank.js'
import { addSessions } from './commands/sessions.js'
import { addSpeak } from './commands/speak.js'
import { addStudio } from './commands/studio.js'
import { addTranscribe } from './commands/transcribe.js'
import type { Start } from './context/start.js'
import type { Io } from './terminal/io.js'
import { toTerminalText } from './terminal/terminal-text.js'
import { packageVersion } from './version.js'

/** What is wrong with the arguments, without the value of an option that is not known: it may be a key. */
export const toUsageMessage = (text: string): string => toTerminalText(text.replace(/('--?[^'=\s]+)=[^']*'/g, `$1'`))

const everyCommand = (command: Command): Command[] => [command, ...command.commands.flatMap(everyCommand)]

/** What the user types for the help of a command: its name after those of its parents. */
const helpOf = (command: Command): string =>
  `${command.parent ? helpOf(command.parent).replace(/ --help$/, '') : ''} ${command.name()} --help`.trim()

/** The whole command line, not yet run. It throws where commander would end the process. */
export function createProgram(io: Pick<Io, 'stdout' | 'stderr'>, start: Start, json: boolean): Command {
  const program = new Command('modelport')
    .description('Talk to any language model.')
    .version(packageVersion(), '-v, --version')
    .showSuggestionAfterError()
    .addHelpText('after', '\nExit codes and everything else: docs/cli.md')
  const output = {
    writeOut: (text: string) => {
      io.stdout.write(text)
    },
    writeErr: (text: string) => {
      io.stderr.write(text)
    },
    outputError: (text: string, write: (text: string) => void) => {
      if (!json) write(toUsageMessage(text))
    },
    getOutHelpWidth: () => io.stdout.columns ?? 80,
    getErrHelpWidth: () => io.stderr.columns ?? 80,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  }
  program.configureOutput(output).exitOverride()
  for (const add of [
    addInit,
    addDoctor,
    addChat,
    addComplete,
    addImage,
    addSpeak,
    addTranscribe,
    addRerank,
    addAgent,
    addDialog,
    addHosts,
    addModels,
    addPrompts,
    addRecord,
    addReplay,
    addSessions,
    addStudio,
    addCompletion,
  ])
    add(program, start)
  for (const command of program.commands) command.configureOutput(output).exitOverride()
  if (!json)
    for (const command of everyCommand(program)) command.showHelpAfterError(`For usage, run: ${helpOf(command)}`)
  return program
}
