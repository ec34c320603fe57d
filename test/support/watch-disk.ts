import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

const calls = ['mkdir', 'open', 'rename', 'link', 'rm', 'readdir', 'stat'] as const

/**
 * Calls `onStep` before each step that this process takes on the disk, with its number from 0: a call, and of a file that is open the
 * writing of nothing, of half and of the rest, `sync` and `close`. What `onStep` waits for, the step waits for. Returns what ends it.
 */
export function watchDisk(onStep: (step: number) => Promise<void> | void): () => void {
  let step = 0
  const next = (): Promise<void> | void => onStep(step++)
  const real = { ...files }
  for (const name of calls) {
    const call = real[name] as (...given: unknown[]) => Promise<unknown>
    const watched = async (...given: unknown[]): Promise<unknown> => {
      await next()
      const result = await call(...given)
      return name === 'open' ? watchFile(result as files.FileHandle, next) : result
    }
    Object.assign(files, { [name]: watched })
  }
  syncBuiltinESMExports()
  return () => {
    Object.assign(files, real)
    syncBuiltinESMExports()
  }
}

function watchFile(file: files.FileHandle, next: () => Promise<void> | void): files.FileHandle {
  const [sync, close] = [file.sync.bind(file), file.close.bind(file)]
  return Object.assign(file, {
    writeFile: async (text: string) => {
      const half = text.length >> 1
      await next()
      await file.write(text.slice(0, half))
      await next()
      await file.write(text.slice(half))
    },
    sync: async () => {
      await next()
      await sync()
    },
    close: async () => {
      await next()
      await close()
    },
  })
}
