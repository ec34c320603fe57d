import { type ImagePart, isLlmError, type TokenUsage } from '@modelport/core'
import type { Cli } from '../context/cli.js'
import { UsageError } from '../errors/exit-codes.js'
import { printFailure } from '../errors/failure.js'
import { systemProblem } from '../errors/system-problem.js'
import { toImage } from '../files/image-file.js'
import type { ConfiguredModels, NamedModel } from '../models/configured-models.js'
import type { Session } from '../session/session-store.js'
import { costOf, formatUsage } from '../terminal/usage-line.js'

/** The parts of the chat that slash commands read and change. */
export interface SlashChat {
  readonly cli: Cli
  readonly settings: { readonly models: ConfiguredModels }
  readonly model: NamedModel
  session: Session
  readonly usage: TokenUsage
  readonly images: ImagePart[]
  /** Uses another model from the next message on. */
  use(model: NamedModel): Promise<unknown>
}

/** One of them. */
export interface SlashCommand {
  readonly help: string
  /** Gives `'exit'` to end the chat. */
  run(chat: SlashChat, argument: string): unknown
}

/** Commands of a chat, by the name after the slash. */
export const slashCommands: Readonly<Record<string, SlashCommand>> = {
  help: {
    help: 'this list',
    run: ({ cli }) => {
      if (cli.json)
        cli.out.json({
          type: 'commands',
          commands: Object.entries(slashCommands).map(([name, { help }]) => ({ name, help })),
        })
      else
        for (const [name, { help }] of Object.entries(slashCommands))
          cli.err.line(`  /${name.padEnd(14)} ${help}`)
    },
  },
  model: {
    help: 'use another model from here on: /model NAME, or provider:model',
    run: async (chat, argument) => {
      if (argument) await chat.use(chat.settings.models.pick(argument))
      const {
        cli: { out, err, json },
        model: { name },
      } = chat
      if (json) out.json({ type: 'model', model: name })
      else err.line(`model: ${err.foreign(name)}`)
    },
  },
  clear: {
    help: 'forget the conversation so far',
    run: (chat) => {
      chat.session = { ...chat.session, messages: [] }
      if (chat.cli.json) chat.cli.out.json({ type: 'cleared' })
      else chat.cli.err.line('cleared')
    },
  },
  usage: {
    help: 'tokens and cost of this run',
    run: ({ cli, usage, model }) => {
      const cost = costOf(usage, model.profile)
      if (cli.json) cli.out.json({ type: 'usage', usage, ...(cost && { cost }) })
      else cli.err.line(formatUsage(usage, model.profile))
    },
  },
  image: {
    help: 'send this image with the next message: /image FILE, or a URL',
    run: async ({ cli, images }, argument) => {
      if (!argument) throw new UsageError('name a file or a URL: /image FILE')
      images.push(await toImage(argument))
      const { out, err, json } = cli
      if (json) out.json({ type: 'image', count: images.length })
      else
        err.line(
          `${images.length === 1 ? 'image goes' : `${images.length} images go`} with the next message`,
        )
    },
  },
  exit: { help: 'end the chat; Ctrl-D does the same', run: () => 'exit' },
}

/** Runs a line that begins with a slash. A failure is printed, and the chat continues. */
export async function runSlashCommand(chat: SlashChat, line: string): Promise<unknown> {
  const [, name = '', argument = ''] = /^\/(\S*)\s*(.*?)\s*$/s.exec(line) ?? []
  const command = Object.hasOwn(slashCommands, name) ? slashCommands[name] : undefined
  const { err, json } = chat.cli
  if (!command) {
    const message = `there is no /${name}; /help lists what there is`
    if (json) printFailure(new UsageError(message), err, json)
    else err.line(err.foreign(message))
    return undefined
  }
  try {
    return await command.run(chat, argument)
  } catch (error) {
    if (!isLlmError(error) && !(error instanceof UsageError) && systemProblem(error) === undefined)
      throw error
    printFailure(error, err, json)
    return undefined
  }
}
