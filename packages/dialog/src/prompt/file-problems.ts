import { LlmError } from '@modelport/core'
import { PromptFileError, type PromptFileProblem } from './prompt-file-error.js'
import { scanTemplate } from './template.js'

/** Collects what is wrong with one prompt file. */
export class FileProblems {
  readonly #file: string
  readonly #found: Required<PromptFileProblem>[] = []

  /** @param file names the file in the messages */
  constructor(file: string) {
    this.#file = file
  }

  /** Keeps a problem. Line and column are those of the file, from 1. */
  add(line: number, column: number, problem: string): void {
    this.#found.push({ line, column, message: `${this.#file}, line ${line}, column ${column}: ${problem}` })
  }

  /** Checks the placeholders of the text, which begins at this line of the file. */
  addText(text: string, firstLine: number): void {
    for (const { line, column, message } of scanTemplate(text).problems) this.add(firstLine + line - 1, column, message)
  }

  /** Makes the prompt if nothing is wrong. @throws {PromptFileError} with every problem. */
  unlessFound<Made>(make: () => Made): Made {
    if (this.#found.length)
      throw new PromptFileError(this.#found.toSorted((a, b) => a.line - b.line || a.column - b.column))
    try {
      return make()
    } catch (error) {
      if (!(error instanceof LlmError)) throw error
      throw new PromptFileError([{ message: `${this.#file}: ${error.message}` }], { cause: error })
    }
  }
}
