import { UsageError } from '../errors/exit-codes.js'
import { type Session, SessionStore } from './session-store.js'

/** A chat in which nothing was said yet. */
export function newSession(model: string): Session {
  const now = new Date()
  const time = now.toISOString()
  return { id: SessionStore.newId(now), model, createdAt: time, updatedAt: time, messages: [] }
}

/** The saved chat with this id, else the latest. @throws {UsageError} there is none */
export async function savedSession(store: SessionStore, given?: string): Promise<Session> {
  const id = given ?? (await store.ids())[0]
  if (id === undefined) throw new UsageError('there is no saved chat to continue')
  return store.load(id)
}
