import { readFile } from 'node:fs/promises'
import { LlmError } from '@modelport/core'
import type { ModelPool } from './config/model-entry.js'
import { parseConfig, type ParseConfigOptions } from './config/parse-config.js'

/**
 * Reads a configuration file.
 * @throws {ConfigFileError} as `parseConfig`.
 * @throws {LlmError} `config` — the file cannot be read.
 */
export async function readConfigFile(file: string, options: Omit<ParseConfigOptions, 'file'> = {}): Promise<ModelPool> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
    throw new LlmError(
      'config',
      `${file}: cannot be read (${code}); ${code === 'ENOENT' ? 'there is no such file' : 'check its rights'}`,
    )
  }
  return parseConfig(text, { ...options, file })
}
