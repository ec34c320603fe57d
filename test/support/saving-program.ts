// Saves a chat again and again, in a process that something happens to. Says of each save, in a
// line of JSON, how many messages it has.

import { once } from 'node:events'
import { chmodSync, chownSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { ChatMessage } from '@modelport/core'
import { type Session, SessionStore } from '../../packages/cli/src/session/session-store.js'
import { watchDisk } from './watch-disk.js'

/** What to do, as JSON in the one argument. */
export interface SavingOrder {
  readonly folder: string
  /** The chat to continue. Default: the latest, or a new one. */
  readonly id?: string
  /** Maximum saves. */
  readonly saves: number
  /** Characters of each message. Default: 20. */
  readonly length?: number
  /** Who says it. Default: `one`. */
  readonly speaker?: string
  /** The step on the disk at which the process is killed. */
  readonly dieAt?: number
  /** True waits for a line of input after the chat was read. */
  readonly waits?: boolean
  /** What is taken away before the second save, and given back after a failure. */
  readonly without?: 'rights'
}

/** What the last line says. */
export interface SavingOutcome {
  readonly id: string
  /** The failure of the save that failed. */
  readonly failure?: { readonly code: string; readonly path: string }
  /** Messages of the chat when it was read after the failure. */
  readonly loaded?: number
  /** Drafts that are left. */
  readonly drafts?: number
  /** Messages of the save that was tried again when there was room. */
  readonly again?: number
}

const order = JSON.parse(process.argv[2] ?? '') as SavingOrder
const { folder, saves, length = 20, speaker = 'one', dieAt, waits, without } = order
const store = new SessionStore(folder)
const say = (value: object): void => void writeSync(1, `${JSON.stringify(value)}\n`)

if (without === 'rights' && process.getuid?.() === 0) {
  // Rights do not count for root.
  chownSync(folder, 65534, 65534)
  process.setgid?.(65534)
  process.setuid?.(65534)
}
const id = order.id ?? (await store.ids())[0]
const now = new Date().toISOString()
const fresh: Session = {
  id: SessionStore.newId(new Date()),
  model: 'm',
  createdAt: now,
  updatedAt: now,
  messages: [],
}
let session: Session = id === undefined ? fresh : await store.load(id)
if (waits) {
  say({ ready: true })
  await once(process.stdin, 'data')
  process.stdin.pause()
}
if (dieAt !== undefined) {
  watchDisk((step) => {
    if (step !== dieAt) return undefined
    process.kill(process.pid, 'SIGKILL')
    return new Promise(() => undefined)
  })
}

const more = (): Session => {
  const said: ChatMessage = {
    role: 'user',
    content: `${speaker} ${session.messages.length} `.padEnd(length, 'x'),
  }
  return { ...session, messages: [...session.messages, said] }
}
const save = async (): Promise<void> => {
  const next = more()
  session = { ...next, id: await store.save(next) }
}

let outcome: SavingOutcome
try {
  for (let count = 0; count < saves; count++) {
    if (count === 1 && without === 'rights') chmodSync(folder, 0o500)
    await save()
    say({ saved: session.messages.length })
  }
  outcome = { id: session.id }
} catch (error) {
  const { code = '', path = '' } = error as NodeJS.ErrnoException
  const loaded = (await new SessionStore(folder).load(session.id)).messages.length
  const drafts = readdirSync(folder).filter((name) => name.endsWith('.part')).length
  outcome = { id: session.id, failure: { code, path }, loaded, drafts }
  if (without === 'rights') chmodSync(folder, 0o700)
  rmSync(join(folder, 'ballast'), { force: true })
  if (code !== 'EROFS' && code !== 'EFBIG') {
    await save()
    outcome = {
      ...outcome,
      again: (await new SessionStore(folder).load(session.id)).messages.length,
    }
  }
}
say(outcome)
