import { createHash } from 'node:crypto'
import { isAbsolute } from 'node:path'
import { configError } from '@modelport/core'
import { importModule } from '@modelport/factory/node'
import { describeCode } from '../errors/system-problem.js'
import { writePrivateFile } from '../files/private-file.js'
import { maxSettingsBytes, readTextFile } from '../files/text-file.js'
import type { Io } from '../terminal/io.js'
import { toTerminalText } from '../terminal/terminal-text.js'
import { isYes } from './is-yes.js'
import { createLineReader } from './line-reader.js'

/**
 * Imports provider packages that the configuration names, each after the user allowed it once at a
 * terminal. A module of the user's is asked for again when its file has changed.
 */
export function createPackageImport(io: Io, file: string): (specifier: string) => Promise<unknown> {
  let asking: Promise<unknown> = Promise.resolve()
  const importAllowed = async (specifier: string): Promise<unknown> => {
    const entry = await entryOf(specifier)
    const allowed = await readAllowed(file)
    if (!allowed.includes(entry)) {
      await askForPackage(io, specifier)
      await writePrivateFile(file, `${JSON.stringify([...allowed, entry], undefined, 2)}\n`)
    }
    return importModule(specifier)
  }
  // One question at a time.
  return (specifier) => {
    const imported = asking.then(() => importAllowed(specifier))
    asking = imported.catch(() => undefined)
    return imported
  }
}

/** The key of an entry: the name of a package, or the path of a module and the hash of its text. */
async function entryOf(specifier: string): Promise<string> {
  if (!isAbsolute(specifier)) return specifier
  let text: string
  try {
    text = await readTextFile(specifier)
  } catch (error) {
    throw configError(
      `package: ${specifier} cannot be read: ${describeCode(error)}; give the path of a module`,
    )
  }
  return `${specifier} sha256:${createHash('sha256').update(text).digest('hex')}`
}

async function readAllowed(file: string): Promise<readonly string[]> {
  try {
    const list: unknown = JSON.parse(await readTextFile(file, maxSettingsBytes))
    if (Array.isArray(list) && list.every((one): one is string => typeof one === 'string'))
      return list
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
  }
  throw configError(
    `${file}: expected a list of texts; delete the file, and allow each package again`,
  )
}

async function askForPackage(io: Io, specifier: string): Promise<void> {
  const shown = toTerminalText(specifier)
  if (!io.stdin.isTTY || !(io.stdout.isTTY || io.stderr.isTTY))
    throw configError(
      `package: ${shown} is code, and has not been allowed yet; run "modelport doctor" once at a terminal, which asks for it`,
    )
  const lines = createLineReader(io)
  const answer = await lines
    .answer(
      `The configuration names the provider package ${shown}. It is code that runs as you. Allow it? [y/N] `,
    )
    .finally(() => lines.close())
  if (!isYes(answer)) throw configError(`package: ${shown} was not allowed`)
}
