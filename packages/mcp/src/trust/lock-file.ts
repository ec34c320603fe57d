import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { configError } from '@modelport/core'
import type { McpLock } from './lock.js'

/** A draft lives for one write. An older one is of a process that was killed. */
const staleMs = 10_000
const retryMs = 20

/**
 * A lock in a file. The draft that replaces it is also the mutex of its writers: only one process
 * can create it.
 * @throws {LlmError} `config` — the file cannot be read or written.
 */
export const openLockFile = (path: string): McpLock => ({
  update: async (change) => {
    try {
      // A read that changes nothing needs no mutex.
      if (change(await read(path)) !== undefined) await write(path, change)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (typeof code !== 'string' || !/^E[A-Z]+$/.test(code)) throw error
      throw configError(
        `${path} cannot be used: ${message}; give lock the path of a file that can be read and written`,
        { cause: error },
      )
    }
  },
})

const unlessMissing = (error: unknown): undefined => {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}

const read = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch(unlessMissing)

async function write(path: string, change: Parameters<McpLock['update']>[0]): Promise<void> {
  const draft = `${path}.part`
  const file = await create(draft)
  const { ino } = await file.stat()
  /** False once a process that took this one for killed has removed the draft. */
  const isOurs = async (): Promise<boolean> => (await stat(draft).catch(unlessMissing))?.ino === ino
  try {
    const text = change(await read(path))
    if (text !== undefined) {
      await file.writeFile(text)
      await file.sync()
    }
    if (!(await isOurs())) await write(path, change)
    else await (text === undefined ? rm(draft) : rename(draft, path))
  } catch (error) {
    if (await isOurs()) await rm(draft)
    throw error
  } finally {
    await file.close()
  }
}

async function create(draft: string): ReturnType<typeof open> {
  for (;;) {
    try {
      return await open(draft, 'wx')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const found = await stat(draft).catch(unlessMissing)
    if (found && Date.now() - found.mtimeMs > staleMs) await rm(draft, { force: true })
    else await wait(retryMs)
  }
}
