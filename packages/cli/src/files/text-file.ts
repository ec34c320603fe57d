import { readFile } from 'node:fs/promises'

/** The text of a file. What it rejects with names the file; Node's own error does not where the path is a folder. */
export const readTextFile = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    throw Object.assign(error as Error, { path })
  })
