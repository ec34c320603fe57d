import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { configError, isLlmError, type LlmError } from '@modelport/core'
import { type PromptFileOptions, parsePromptFile } from '../prompt/prompt-file.js'
import { PromptFileError, type PromptFileProblem } from '../prompt/prompt-file-error.js'
import { PromptRegistry } from '../prompt/registry.js'

/** A file that cannot be read as a prompt. */
export interface UnreadablePrompt {
  /** That the prompt would have. */
  readonly path: string
  /** Names the file; its message has a line for each problem. */
  readonly error: LlmError
  /** Everything that is wrong with the file; at least one. */
  readonly problems: readonly PromptFileProblem[]
}

/** The content of a folder of prompts. */
export interface PromptFolder {
  /** The prompts that could be read. */
  readonly prompts: PromptRegistry
  /** The files that could not, in the order of their paths. */
  readonly unreadable: readonly UnreadablePrompt[]
}

/**
 * Reads every Markdown file below a folder as a prompt: `research/ask.md` is the path
 * `research/ask`. Files come in the order of their paths; those in `node_modules` and `.git` are
 * left out.
 * @throws {LlmError} `config` — the folder cannot be read, or a file is wrong; the message names
 * file and line.
 */
export async function loadPrompts(
  folder: string,
  options: PromptFileOptions = {},
): Promise<PromptRegistry> {
  const { prompts, unreadable } = await readPrompts(folder, options)
  if (unreadable[0]) throw unreadable[0].error
  return prompts
}

/**
 * Reads the prompts of a folder like {@link loadPrompts}, and continues after a file that is wrong.
 * @throws {LlmError} `config` — the folder cannot be read.
 */
export async function readPrompts(
  folder: string,
  options: PromptFileOptions = {},
): Promise<PromptFolder> {
  const prompts = new PromptRegistry()
  const unreadable: UnreadablePrompt[] = []
  for (const file of await filesOf(folder)) {
    const path = relative(folder, file).split(sep).join('/').replace(/\.md$/, '')
    try {
      prompts.register(parsePromptFile(await readText(file), file, path, options))
    } catch (error) {
      if (!isLlmError(error)) throw error
      const problems =
        error instanceof PromptFileError ? error.problems : [{ message: error.message }]
      unreadable.push({ path, error, problems })
    }
  }
  return { prompts, unreadable }
}

/** Folders that have the files of others. */
const foreign = new Set(['node_modules', '.git'])

async function filesOf(folder: string): Promise<readonly string[]> {
  const found = await markdownIn(folder).catch((error: unknown) => {
    throw configError(`the prompt folder ${folder} cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  })
  return found.sort()
}

async function markdownIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map(({ name }) => join(folder, name))
  const folders = entries.filter((entry) => entry.isDirectory() && !foreign.has(entry.name))
  const below = await Promise.all(folders.map(({ name }) => markdownIn(join(folder, name))))
  return [...files, ...below.flat()]
}

const readText = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    throw configError(`${file} cannot be read: ${(error as Error).message}`, { cause: error })
  })
