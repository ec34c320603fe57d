import { resolve } from 'node:path'
import type { Cli, CommonOptions } from '../context/cli.js'
import { exitCodes } from '../errors/exit-codes.js'
import { toFailureReport } from '../errors/failure.js'
import { type Session, SessionStore } from '../session/session-store.js'

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
        model,
        createdAt,
        updatedAt,
        messages: messages.length,
      })),
    })
    return exitCodes.done
  }
  for (const { id, model, updatedAt, messages } of found) {
    cli.out.line(
      `${id}  ${updatedAt.slice(0, 16).replace('T', ' ')}  ${String(messages.length).padStart(3)} messages  ${cli.out.foreign(model)}`,
    )
  }
  return exitCodes.done
}
