import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type ChatMessage,
  configError,
  fromJson,
  isLlmError,
  LlmError,
  type StoredConversation,
  toJson,
} from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import { exists, writeNewPrivateFile } from '../files/private-file.js'
import { readTextFile } from '../files/text-file.js'
import { withoutSecrets } from '../secrets/without-secrets.js'
import { fromSealed, toSealed } from './seal.js'

/** A chat that was saved. */
export interface Session {
  readonly id: string
  /** The model as `--model` takes it. */
  readonly model: string
  readonly system?: string
  /** ISO 8601. */
  readonly createdAt: string
  readonly updatedAt: string
  readonly messages: readonly ChatMessage[]
}

const idForm = /^[A-Za-z0-9_-]{16,64}$/
const fileForm = /^([A-Za-z0-9_-]{16,64})\.([1-9]\d{0,14})\.json$/

/**
 * Saved chats in one folder. A chat is the file `ID.N.json` of its last save. The next save creates
 * the file N + 1, whose name only one process can take, and then removes the earlier one. So one
 * file is always whole, no process overwrites the save of another, and a killed process leaves no
 * lock behind.
 */
export class SessionStore {
  readonly #folder: string
  /** For each chat, the save that was last read or made here: the next save continues it. */
  readonly #saves = new Map<string, number>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** An id for a new chat: sorted by time, and not to be guessed. */
  static newId(now: Date): string {
    const time = now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')
    return `${time}-${crypto.randomUUID().slice(0, 8)}`
  }

  /**
   * Writes a chat anew, whole or not at all, for the owner only. Texts in `secrets` are taken out.
   * @returns its id: a new one where the chat was saved elsewhere, or deleted, since it was last
   * read or saved here
   */
  async save(session: Session, secrets: readonly string[] = []): Promise<string> {
    if (await this.#add(session, secrets)) return session.id
    return this.save({ ...session, id: SessionStore.newId(new Date()) }, secrets)
  }

  /**
   * @throws {LlmError} `config` — the chat does not exist, or its file is damaged or not a saved
   * chat; `invalid-request` — of an unknown version.
   */
  async load(id: string): Promise<Session> {
    checkId(id)
    const { save, path, text } = await this.#read(id)
    const json = fromSealed(text)
    if (json === undefined)
      throw configError(`${path}: not a saved chat, or changed or damaged after it was saved`)
    const stored = parse(json, path)
    const { model, system, createdAt, updatedAt } = stored
    if (typeof model !== 'string' || typeof createdAt !== 'string' || typeof updatedAt !== 'string')
      throw configError(`${path}: not a saved chat`)
    const session = {
      id,
      model,
      ...(typeof system === 'string' && { system }),
      createdAt,
      updatedAt,
      messages: messagesOf(stored, path),
    }
    this.#saves.set(id, save)
    return session
  }

  /** Ids of all saved chats, the latest first. */
  async ids(): Promise<string[]> {
    const ids = (await this.#names()).flatMap((name) => fileForm.exec(name)?.[1] ?? [])
    return [...new Set(ids)].sort().reverse()
  }

  /**
   * Deletes a chat, with the remains of saves that were cut off.
   * @throws {LlmError} `config` — there is no such chat.
   */
  async delete(id: string): Promise<void> {
    checkId(id)
    if (!(await this.#savesOf(id)).length) throw configError(`there is no saved chat ${id}`)
    for (const name of await this.#names())
      if (name.startsWith(`${id}.`)) await rm(join(this.#folder, name), { force: true })
  }

  /** False where another process was quicker. */
  async #add({ messages, ...session }: Session, secrets: readonly string[]): Promise<boolean> {
    const { id } = session
    checkId(id)
    const last = this.#saves.get(id) ?? 0
    const path = this.#path(id, last + 1)
    const text = toSealed(
      JSON.stringify(withoutSecrets({ ...session, ...toJson(messages) }, secrets), undefined, 1),
    )
    if (!(await writeNewPrivateFile(path, text))) return false
    // A process that is ahead of us has already removed the save before ours.
    if (last > 0 && !(await exists(this.#path(id, last)))) {
      await rm(path, { force: true })
      return false
    }
    this.#saves.set(id, last + 1)
    // The first one first: the check above depends on it.
    for (const save of await this.#savesOf(id))
      if (save <= last) await rm(this.#path(id, save), { force: true })
    return true
  }

  async #read(
    id: string,
  ): Promise<{ readonly save: number; readonly path: string; readonly text: string }> {
    let missing = 0
    for (;;) {
      const save = (await this.#savesOf(id)).at(-1)
      if (save === undefined || save === missing)
        throw configError(`there is no saved chat ${id}; "modelport sessions" lists them`)
      const path = this.#path(id, save)
      try {
        return { save, path, text: await readTextFile(path) }
      } catch (error) {
        // It was saved anew meanwhile.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
        missing = save
      }
    }
  }

  /** The saves of a chat, in order: more than one only if a save was cut off or is under way. */
  async #savesOf(id: string): Promise<number[]> {
    const found = (await this.#names())
      .map((name) => fileForm.exec(name))
      .filter((parts) => parts?.[1] === id)
    return found.map((parts) => Number(parts?.[2])).sort((a, b) => a - b)
  }

  /** Files only: skips folders and links that are named like a chat. */
  async #names(): Promise<string[]> {
    const found = await readdir(this.#folder, { withFileTypes: true }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    })
    return found.filter((entry) => entry.isFile()).map(({ name }) => name)
  }

  #path(id: string, save: number): string {
    return join(this.#folder, `${id}.${save}.json`)
  }
}

function checkId(id: string): void {
  if (!idForm.test(id))
    throw configError(
      `${JSON.stringify(id)} is not an id of a saved chat; "modelport sessions" lists them`,
    )
}

function parse(
  json: string,
  path: string,
): { readonly [Field in keyof (Session & StoredConversation)]?: unknown } {
  const stored = tryParseJson(json)
  if (stored === undefined) throw configError(`${path}: not a saved chat: its JSON is damaged`)
  return stored as object
}

function messagesOf(stored: unknown, path: string): readonly ChatMessage[] {
  try {
    return fromJson(stored)
  } catch (error) {
    throw isLlmError(error) ? new LlmError(error.code, `${path}: ${error.message}`) : error
  }
}
