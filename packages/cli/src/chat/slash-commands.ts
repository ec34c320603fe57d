import { isLlmError } from '@modelport/core'
import { printFailure } from '../failure.js'
import { formatUsage } from '../usage-line.js'
import type { Chat } from './chat.js'

interface SlashCommand {
  readonly help: string
  run(chat: Chat, argument: string): Promise<'exit' | undefined> | 'exit' | undefined
}

const commands: Readonly<Record<string, SlashCommand>> = {
  help: {
    help: 'this list',
    run: ({ cli }) => {
      for (const [name, { help }] of Object.entries(commands)) cli.err.line(`  /${name.padEnd(14)} ${help}`)
      return undefined
    },
  },
  model: {
    help: 'use another model from here on: /model NAME, or provider:model',
    run: async (chat, argument) => {
      if (!argument) {
        chat.cli.err.line(`model: ${chat.cli.err.foreign(chat.model.name)}`)
        return undefined
      }
      await chat.use(chat.settings.models.pick(argument))
      chat.cli.err.line(`model: ${chat.cli.err.foreign(chat.model.name)}`)
      return undefined
    },
  },
  clear: {
    help: 'forget the conversation so far',
    run: (chat) => {
      chat.session = { ...chat.session, messages: [] }
      return undefined
    },
  },
  usage: {
    help: 'tokens and cost of this run',
    run: ({ cli, usage, model }) => {
      cli.err.line(formatUsage(usage, model.profile))
      return undefined
    },
  },
  exit: { help: 'end the chat; Ctrl-D does the same', run: () => 'exit' },
}

/** Runs a line that begins with a slash. What goes wrong is printed; the chat goes on. */
export async function runSlashCommand(chat: Chat, line: string): Promise<'exit' | undefined> {
  const [, name = '', argument = ''] = /^\/(\S*)\s*(.*?)\s*$/s.exec(line) ?? []
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  const { err, json } = chat.cli
  if (!command) {
    err.line(`there is no /${err.foreign(name)}; /help lists what there is`)
    return undefined
  }
  try {
    return await command.run(chat, argument)
  } catch (error) {
    if (!isLlmError(error)) throw error
    printFailure(error, err, json)
    return undefined
  }
}
