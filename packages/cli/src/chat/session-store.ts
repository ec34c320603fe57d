import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type ChatMessage, fromJson, isLlmError, LlmError, type StoredConversation, toJson } from '@modelport/core'
import { writePrivateFile } from '../private-file.js'
import { withoutSecrets } from '../secrets.js'

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

/** Saved chats, a file each, in one folder. */
export class SessionStore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** An id for a new chat: sorted by time, and not to be guessed. */
  static newId(now: Date): string {
    const time = now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')
    return `${time}-${crypto.randomUUID().slice(0, 8)}`
  }

  /** Writes a chat anew, whole or not at all, for the owner only. Texts in `secrets` are taken out. */
  async save({ messages, ...session }: Session, secrets: readonly string[] = []): Promise<void> {
    const text = withoutSecrets(JSON.stringify({ ...session, ...toJson(messages) }, undefined, 1), secrets)
    await writePrivateFile(this.#path(session.id), `${text}\n`)
  }

  /** @throws {LlmError} `config` — there is no such chat, or its file is none; `invalid-request` — of an unknown version. */
  async load(id: string): Promise<Session> {
    const path = this.#path(id)
    let stored: { readonly [Field in keyof (Session & StoredConversation)]?: unknown } | null
    try {
      stored = JSON.parse(await readFile(path, 'utf8')) as typeof stored
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
      throw new LlmError('config', missing ? `there is no saved chat ${id}; "modelport sessions" lists them` : `${path}: this is no saved chat`)
    }
    const { model, system, createdAt, updatedAt } = stored ?? {}
    if (typeof model !== 'string' || typeof createdAt !== 'string' || typeof updatedAt !== 'string') throw new LlmError('config', `${path}: this is no saved chat`)
    return { id, model, ...(typeof system === 'string' && { system }), createdAt, updatedAt, messages: messagesOf(stored, path) }
  }

  /** Ids of all saved chats, the latest first. */
  async ids(): Promise<string[]> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    })
    return names.flatMap((name) => (name.endsWith('.json') && idForm.test(name.slice(0, -5)) ? [name.slice(0, -5)] : [])).sort().reverse()
  }

  /** Deletes a chat's file. @throws {LlmError} `config` — there is no such chat. */
  async delete(id: string): Promise<void> {
    const path = this.#path(id)
    await rm(path).catch((error: unknown) => {
      throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? new LlmError('config', `there is no saved chat ${id}`) : error
    })
  }

  #path(id: string): string {
    if (!idForm.test(id)) throw new LlmError('config', `${JSON.stringify(id)} is no id of a saved chat; "modelport sessions" lists them`)
    return join(this.#folder, `${id}.json`)
  }
}

function messagesOf(stored: unknown, path: string): readonly ChatMessage[] {
  try {
    return fromJson(stored)
  } catch (error) {
    throw isLlmError(error) ? new LlmError(error.code, `${path}: ${error.message}`) : error
  }
}
