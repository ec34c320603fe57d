import { LlmError } from '@modelport/core'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { parsePromptFile, type PromptFileOptions } from '../prompt/prompt-file.js'
import { PromptRegistry } from '../prompt/registry.js'

/**
 * Reads every Markdown file below a folder as a prompt: `research/ask.md` is the path `research/ask`. Files come in the order of their paths.
 * @throws {LlmError} `config` — the folder cannot be read, or a file is wrong; the message names file and line.
 */
export async function loadPrompts(folder: string, options: PromptFileOptions = {}): Promise<PromptRegistry> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    throw new LlmError('config', `the prompt folder ${folder} cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  })
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  const registry = new PromptRegistry()
  for (const file of files) {
    const path = relative(folder, file).split(sep).join('/').replace(/\.md$/, '')
    registry.register(parsePromptFile(await readFile(file, 'utf8'), file, path, options))
  }
  return registry
}
