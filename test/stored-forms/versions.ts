import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The versions whose stored forms are kept, as their folders say. */
export const versions: readonly string[] = readdirSync(import.meta.dirname).filter((name) =>
  /^\d+\.\d+\.\d+$/.test(name),
)

/** The folder of a version. */
export const folderOf = (version: string): string => join(import.meta.dirname, version)
