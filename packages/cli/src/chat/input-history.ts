import { appendFile, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { tryParseJson } from '@modelport/core/text'
import { writePrivateFile } from '../files/private-file.js'
import { readTextIfAny } from '../files/text-file.js'
import { withoutSecrets } from '../secrets/without-secrets.js'

/** Entries that are read back; the file is shortened to them when it has twice as many. */
const kept = 200

/**
 * What was typed in chats, kept in a file that only its owner reads: a text a line, as JSON. Chats
 * that run at once all add to it.
 */
export class InputHistory {
  /** The newest first. */
  readonly entries: readonly string[]
  readonly #path: string

  private constructor(path: string, entries: readonly string[]) {
    this.#path = path
    this.entries = entries
  }

  /** Reads the file; empty if there is none. Lines that are damaged are passed over. */
  static async open(path: string): Promise<InputHistory> {
    const text = (await readTextIfAny(path)) ?? ''
    const all = text.split('\n').flatMap((line) => toEntry(line) ?? [])
    const latest = all.slice(-kept)
    if (all.length > 2 * kept)
      await writePrivateFile(path, latest.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
    return new InputHistory(path, latest.reverse())
  }

  async add(text: string, secrets: readonly string[]): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 })
    await appendFile(this.#path, `${JSON.stringify(withoutSecrets(text, secrets))}\n`, {
      mode: 0o600,
    })
  }
}

function toEntry(line: string): string | undefined {
  const value = tryParseJson(line)
  return typeof value === 'string' && value ? value : undefined
}
