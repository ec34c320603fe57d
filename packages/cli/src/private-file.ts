import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Writes a file that only its owner reads: whole or not at all, and on the disk before it takes its name. Folders that are missing
 * are made for the owner alone.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = `${path}.${crypto.randomUUID()}.part`
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    // What the user named, not the draft.
    throw Object.assign(error as Error, { path })
  }
}

/** True where others than the owner may read the file. Windows has no such rights. */
export async function isReadableByOthers(path: string): Promise<boolean> {
  if (process.platform === 'win32') return false
  const { mode } = await stat(path)
  return (mode & 0o077) !== 0
}
