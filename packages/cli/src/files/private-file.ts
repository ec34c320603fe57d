import { link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Writes a file that only its owner reads: whole or not at all, and on the disk before it takes its
 * name. Folders that are missing are made for the owner alone.
 */
export const writePrivateFile = (path: string, text: string | Uint8Array): Promise<void> =>
  withDraft(path, text, (draft) => rename(draft, path))

/**
 * The same under a new name: false if a file has that name, which then stays as it is. One of
 * several at once gets it.
 */
export const writeNewPrivateFile = (path: string, text: string): Promise<boolean> =>
  withDraft(path, text, (draft) => takeName(draft, path))

/** Fails early as {@link writePrivateFile} would, and leaves an existing file as it is. */
export async function checkPrivateFile(path: string): Promise<void> {
  await withDraft(path, '', () => Promise.resolve())
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (isFolder) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR', path })
}

/** True where others than the owner may read the file. Windows has no such rights. */
export async function isReadableByOthers(path: string): Promise<boolean> {
  if (process.platform === 'win32') return false
  const { mode } = await stat(path)
  return (mode & 0o077) !== 0
}

/** True where there is something of this name. */
export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** The ending of drafts, and of no other file: a killed program leaves a draft behind. */
const draftEnding = '.modelport.part'
/**
 * A draft lives for one write; clocks of other computers that share the folder are not hours
 * behind.
 */
const staleAfterMs = 24 * 60 * 60 * 1000

async function withDraft<T>(
  path: string,
  text: string | Uint8Array,
  use: (draft: string) => Promise<T>,
): Promise<T> {
  const draft = `${path}.${crypto.randomUUID()}${draftEnding}`
  const folder = dirname(path)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await removeStaleDrafts(folder)
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    const result = await use(draft)
    await syncFolder(folder)
    return result
  } catch (error) {
    // The file that the user named, not the draft.
    throw Object.assign(error as Error, { path })
  } finally {
    await rm(draft, { force: true }).catch(() => undefined)
  }
}

async function takeName(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' || (await exists(path))) return false
    // FAT and some network folders give a file one name only.
    await rename(draft, path)
  }
  return true
}

/**
 * Without it a name may be gone after a power cut, as if the write had not been. Not every platform
 * opens a folder.
 */
async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, 'r').catch(() => undefined)
  await opened?.sync().catch(() => undefined)
  await opened?.close()
}

/**
 * By age alone: a process id may be reused or belong to a container, and locks outlive a killed
 * process.
 */
async function removeStaleDrafts(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter((one) => one.endsWith(draftEnding))) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > staleAfterMs)
      await rm(path, { force: true }).catch(() => undefined)
  }
}
