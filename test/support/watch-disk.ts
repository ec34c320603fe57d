import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

type Next = (name: string) => Promise<void> | void

const calls = ['mkdir', 'open', 'rename', 'link', 'rm', 'readdir', 'stat'] as const

/**
 * Calls `onStep` before each step that this process takes on the disk, with its number from 0 and
 * its name: a call, and of a file that is open the writing of its first and its second half, `sync`
 * and `close`. What `onStep` waits for, the step waits for. Returns what ends it; with `'died'` it
 * closes the files that are still open, as the end of a process does.
 */
export function watchDisk(
  onStep: (step: number, name: string) => Promise<void> | void,
): (how?: 'died') => void {
  let step = 0
  const open = new Set<() => Promise<void>>()
  const next: Next = (name) => onStep(step++, name)
  const real = { ...files }
  for (const name of calls) {
    const call = real[name] as (...given: unknown[]) => Promise<unknown>
    const watched = async (...given: unknown[]): Promise<unknown> => {
      await next(name)
      const result = await call(...given)
      return name === 'open' ? watchFile(result as files.FileHandle, next, open) : result
    }
    Object.assign(files, { [name]: watched })
  }
  syncBuiltinESMExports()
  return (how) => {
    Object.assign(files, real)
    syncBuiltinESMExports()
    if (how === 'died') for (const close of open) void close()
  }
}

function watchFile(
  file: files.FileHandle,
  next: Next,
  open: Set<() => Promise<void>>,
): files.FileHandle {
  const sync = file.sync.bind(file)
  const close = file.close.bind(file)
  open.add(close)
  return Object.assign(file, {
    writeFile: async (text: string) => {
      const half = text.length >> 1
      await next('write')
      await file.write(text.slice(0, half))
      await next('write')
      await file.write(text.slice(half))
    },
    sync: async () => {
      await next('sync')
      await sync()
    },
    close: async () => {
      await next('close')
      open.delete(close)
      await close()
    },
  })
}
