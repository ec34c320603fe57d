import { createReadStream } from 'node:fs'
import { LlmError } from '@modelport/core'
import type { ModelPool } from './config/model-entry.js'
import { parseConfig } from './config/parse-config.js'
import type { ParseConfigOptions } from './config/parse-options.js'

/**
 * Reads a configuration file.
 * @throws {ConfigFileError} as `parseConfig`.
 * @throws {LlmError} `config` — the file cannot be read.
 */
export async function readConfigFile(file: string, options: Omit<ParseConfigOptions, 'file'> = {}): Promise<ModelPool> {
  let text: string
  try {
    text = await readStart(file)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
    throw new LlmError(
      'config',
      `${file}: cannot be read (${code}); ${code === 'ENOENT' ? 'there is no such file' : 'check its permissions'}`,
    )
  }
  return parseConfig(text, { ...options, file })
}

/** The first mebibyte: parseConfig refuses a longer text, and a device may never end. */
async function readStart(file: string): Promise<string> {
  let text = ''
  const stream = createReadStream(file, { end: 1_048_576, encoding: 'utf8' })
  for await (const chunk of stream as AsyncIterable<string>) text += chunk
  return text
}
