import { resolve } from 'node:path'
import { textOf } from '@modelport/core'
import type { Cli, CommonOptions } from '../context/cli.js'
import { exitCodes } from '../errors/exit-codes.js'
import { toFailureReport } from '../errors/failure.js'
import { type Session, SessionStore } from '../session/session-store.js'
import { shorten } from '../terminal/shorten.js'

/** Options of `modelport sessions`. */
export interface SessionsOptions extends CommonOptions {
  readonly sessions?: string
  readonly delete?: string
}

/** Runs `modelport sessions`; resolves to the exit code. */
export async function sessions(cli: Cli, options: SessionsOptions): Promise<number> {
  const store = new SessionStore(resolve(options.sessions ?? cli.locations.sessions))
  if (options.delete !== undefined) {
    await store.delete(options.delete)
    if (cli.json) cli.out.json({ deleted: options.delete })
    return exitCodes.done
  }
  const found: Session[] = []
  for (const id of await store.ids()) {
    try {
      found.push(await store.load(id))
    } catch (error) {
      // A damaged or unreadable chat must not hide the others.
      const { message } = toFailureReport(error).error
      if (cli.json) cli.err.json({ warning: message })
      else cli.err.line(`warning: ${cli.err.foreign(message)}`)
    }
  }
  if (cli.json) {
    cli.out.json({
      sessions: found.map(({ id, model, createdAt, updatedAt, messages }) => ({
        id,
        title: titleOf(messages),
        model,
        createdAt,
        updatedAt,
        messages: messages.length,
      })),
    })
    return exitCodes.done
  }
  for (const { id, model, updatedAt, messages } of found) {
    const when = updatedAt.slice(0, 16).replace('T', ' ')
    const count = `${String(messages.length).padStart(3)} messages`
    const foreign = [model, titleOf(messages)].map((text) => cli.out.foreign(text))
    cli.out.line([id, when, count, ...foreign].join('  '))
  }
  return exitCodes.done
}

/** Characters of a title. */
const longestTitle = 60

/** The start of the first thing that the user said: it tells chats apart. */
function titleOf(messages: Session['messages']): string {
  const first = messages.find(({ role }) => role === 'user')
  const text = first ? textOf(first.content).replace(/\s+/g, ' ').trim() : ''
  return shorten(text, longestTitle)
}
