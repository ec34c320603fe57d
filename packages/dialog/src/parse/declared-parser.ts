import { isObject, LlmError } from '@modelport/core'
import { suggest } from '@modelport/core/settings'
import { shown } from '../base/shown.js'
import { choice } from './choice.js'
import { json } from './json.js'
import type { Parser } from './parser.js'
import { many, tags } from './tags.js'
import { text } from './text.js'

/** Where a parser is in a file: names of settings, and places in lists. */
type Path = readonly string[]

/** A problem of a declared parser, and its place. */
export class DeclarationError extends LlmError {
  readonly path: Path

  constructor(path: Path, problem: string) {
    super('config', `${path.join('.')} ${problem}`)
    this.path = path
  }
}

const kinds = ['choice', 'json', 'many', 'tags']
const forms = 'text, { choice: [...] }, { json: schema }, { many: parser } or { tags: {...} }'

/**
 * A parser that is written down as data, as in the front matter of a prompt file.
 * @param path of the parser in the file
 * @returns the parser, and everything that is wrong: the setting, what was expected and what was
 * found
 */
export function declaredParser(
  declared: unknown,
  path: Path,
): { readonly parser: Parser<unknown>; readonly problems: readonly DeclarationError[] } {
  const problems: DeclarationError[] = []
  return { parser: orText(problems, () => parserOf(declared, path, problems)), problems }
}

/**
 * Makes a parser. A wrong parser is replaced by the text parser, so that the others are checked
 * too.
 */
function orText(problems: DeclarationError[], make: () => Parser<unknown>): Parser<unknown> {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof DeclarationError)) throw error
    problems.push(error)
    return text()
  }
}

function parserOf(declared: unknown, path: Path, problems: DeclarationError[]): Parser<unknown> {
  if (declared === 'text' || declared === null) return text()
  if (!isObject(declared) || Object.keys(declared).length !== 1)
    throw new DeclarationError(path, `must be ${forms}, not ${shown(declared)}`)
  const [kind = '', value] = Object.entries(declared)[0] ?? []
  const inner = [...path, kind]
  switch (kind) {
    case 'choice': {
      const choices = textsOf(value, inner)
      return made(inner, () => choice(choices))
    }
    case 'json':
      if (!isObject(value))
        throw new DeclarationError(inner, `must be a JSON Schema, not ${shown(value)}`)
      return made(inner, () => json(value))
    case 'many':
      return many(parserOf(value, inner, problems))
    case 'tags':
      return declaredTags(value, inner, problems)
    default:
      throw new DeclarationError(inner, `is not a parser${suggest(kind, kinds)}`)
  }
}

const tagKeys = [
  'xml',
  'markdown',
  'optional',
  'optionalMarkdown',
  'signals',
  'requiredSignals',
] as const

function declaredTags(value: unknown, path: Path, problems: DeclarationError[]): Parser<unknown> {
  if (!isObject(value))
    throw new DeclarationError(path, `must be settings by name, not ${shown(value)}`)
  const unknown = Object.keys(value).filter((key) => !(tagKeys as readonly string[]).includes(key))
  for (const key of unknown)
    problems.push(
      new DeclarationError([...path, key], `is not a setting of tags${suggest(key, tagKeys)}`),
    )
  const settings = tagKeys.flatMap((key): readonly (readonly [string, unknown])[] => {
    const one = value[key]
    if (one === undefined) return []
    const inner = [...path, key]
    return [[key, key.endsWith('ignals') ? textsOf(one, inner) : parsersOf(one, inner, problems)]]
  })
  // The missing tag follows from a problem that was reported.
  if (unknown.length && !settings.length) return text()
  return made(path, () => tags(Object.fromEntries(settings)))
}

/** Parsers by tag; a list of names takes their text. */
function parsersOf(
  value: unknown,
  path: Path,
  problems: DeclarationError[],
): Readonly<Record<string, Parser<unknown>>> {
  if (Array.isArray(value)) {
    const names = textsOf(value, path)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice !== undefined) throw new DeclarationError(path, `has the name "${twice}" twice`)
    return Object.fromEntries(names.map((name) => [name, text()]))
  }
  if (!isObject(value))
    throw new DeclarationError(
      path,
      `must be a list of names, or parsers by name, not ${shown(value)}`,
    )
  const parsers = Object.entries(value).map(([name, inner]) => {
    const parser = orText(problems, () => parserOf(inner, [...path, name], problems))
    return [name, parser] as const
  })
  return Object.fromEntries(parsers)
}

function textsOf(value: unknown, path: Path): readonly string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value
  throw new DeclarationError(path, `must be a list of texts, not ${shown(value)}`)
}

/** Makes a parser; an error of its function is reported with its place. */
function made(path: Path, make: () => Parser<unknown>): Parser<unknown> {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof LlmError)) throw error
    throw new DeclarationError(path, `is wrong: ${error.message}`)
  }
}
