import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Writes a file that only its owner reads: whole or not at all, and on the disk before it takes its name. Folders that are missing
 * are made for the owner alone.
 */
export const writePrivateFile = (path: string, text: string): Promise<void> =>
  withDraft(path, text, (draft) => rename(draft, path))

/** Fails as {@link writePrivateFile} would, and leaves what is there as it is: before it is too late to say so. */
export async function checkPrivateFile(path: string): Promise<void> {
  await withDraft(path, '', (draft) => rm(draft))
  const isFolder = await stat(path).then((found) => found.isDirectory(), () => false)
  if (isFolder) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR', path })
}

async function withDraft(path: string, text: string, use: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${path}.${crypto.randomUUID()}.part`
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await use(draft)
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
