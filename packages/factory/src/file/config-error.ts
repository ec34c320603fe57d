import { LlmError } from '@modelport/core'

/** One thing that is wrong with a configuration file. */
export interface ConfigIssue {
  /** The file as the caller named it. */
  readonly file: string
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
  /** For example `models[1].provider`. '' is the whole file. */
  readonly path: string
  /** What is wrong, what was found, and what was probably meant. */
  readonly message: string
}

/**
 * A configuration file that cannot be used: everything that is wrong with it, in the order of its
 * lines.
 */
export class ConfigFileError extends LlmError {
  /** Everything that is wrong, in the order of the file. */
  readonly issues: readonly ConfigIssue[]

  constructor(issues: readonly ConfigIssue[]) {
    const sorted = [...issues].sort((a, b) => a.line - b.line || a.column - b.column)
    super('config', sorted.map(formatIssue).join('\n'))
    this.issues = sorted
  }
}
Object.defineProperty(ConfigFileError.prototype, 'name', { value: 'ConfigFileError' })

const formatIssue = ({ file, line, column, path, message }: ConfigIssue): string =>
  `${file}:${line}:${column} ${path && `${path}: `}${message}`

/** A path as a person writes it. */
export const formatPath = (path: readonly PropertyKey[]): string =>
  path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index ? '.' : ''}${String(part)}`,
    )
    .join('')
