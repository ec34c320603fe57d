import { existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DurableError } from '../database/durable-error.js'

/**
 * Makes a new file that is either whole or not there: `write` fills a file next to it, which is renamed once it is on the disk.
 *
 * @throws {DurableError} `conflict` — the file exists; what `write` throws
 */
export async function makeBackup(file: string, write: (part: string) => Promise<void>): Promise<void> {
  if (existsSync(file))
    throw new DurableError('conflict', `"${file}" exists; name a new file, a back-up overwrites nothing`)
  const part = `${file}.part`
  try {
    await rm(part, { force: true })
    // Created here, so that only the user can read it from the start.
    await (await open(part, 'wx', 0o600)).close()
    await write(part)
    await sync(part)
    await rename(part, file)
    await sync(dirname(file))
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined)
    throw toBackupError(error, file)
  }
}

async function sync(path: string): Promise<void> {
  // A folder cannot be opened on Windows, which needs no such step.
  const handle = await open(path, 'r').catch(() => undefined)
  try {
    await handle?.sync()
  } finally {
    await handle?.close()
  }
}

function toBackupError(error: unknown, file: string): unknown {
  const { code } = error as { readonly code?: unknown }
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new DurableError('unavailable', `"${file}" cannot be made; its folder must exist`, { cause: error })
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new DurableError('read-only', `"${file}" cannot be made; make its folder writable`, { cause: error })
  if (code === 'ENOSPC')
    return new DurableError('full', `"${file}": the disk is full; free space and retry`, { cause: error })
  return error
}
