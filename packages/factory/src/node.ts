import { createReadStream } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { configError } from '@modelport/core'
import { errorText } from '@modelport/core/text'
import type { ModelPool } from './config/model-entry.js'
import { parseConfig } from './file/parse-config.js'
import type { ParseConfigOptions } from './file/parse-options.js'

/**
 * Reads a configuration file. A `package` that is a relative path starts at the file's folder.
 * @throws {ConfigFileError} as `parseConfig`.
 * @throws {LlmError} `config` — the file cannot be read.
 */
export async function readConfigFile(
  file: string,
  options: Omit<ParseConfigOptions, 'file'> = {},
): Promise<ModelPool> {
  let text: string
  try {
    text = await readStart(file)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
    throw configError(
      code === 'ENOENT'
        ? `${file}: there is no such file; check the path`
        : `${file}: cannot be read (${code}); check that it is a file, and its permissions`,
    )
  }
  const pool = parseConfig(text, { ...options, file })
  const models = pool.models.map((entry) =>
    entry.package?.startsWith('.')
      ? { ...entry, package: resolve(dirname(file), entry.package) }
      : entry,
  )
  return { ...pool, models }
}

/**
 * Imports the npm package, or the module with this absolute path, for `importModule` of a
 * `FactoryContext`. It runs the module's code in this process: pass it only for configurations that
 * you trust as you trust the program.
 * @throws {LlmError} `config` — the module does not exist or does not load.
 */
export async function importModule(specifier: string): Promise<unknown> {
  try {
    return await import(isAbsolute(specifier) ? pathToFileURL(specifier).href : specifier)
  } catch (error) {
    throw configError(`${specifier} does not load: ${errorText(error)}`, { cause: error })
  }
}

/** The first mebibyte: parseConfig refuses a longer text, and a device may never end. */
async function readStart(file: string): Promise<string> {
  let text = ''
  const stream = createReadStream(file, { end: 1_048_576, encoding: 'utf8' })
  for await (const chunk of stream as AsyncIterable<string>) text += chunk
  return text
}
