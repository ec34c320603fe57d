import { LlmError } from '@modelport/core'
import { choice } from './choice.js'
import { isRecord } from './is-record.js'
import { json } from './json.js'
import type { Parser } from './parser.js'
import { many, tags } from './tags.js'
import { text } from './text.js'

const forms = 'text, { choice: [...] }, { json: schema }, { many: parser } or { tags: {...} }'

/**
 * A parser that is written down as data, as in the front matter of a prompt file.
 * @throws {LlmError} `config` — what is wrong with it.
 */
export function parserOf(declared: unknown): Parser<unknown> {
  if (declared === 'text' || declared === null) return text()
  const [kind, value] = isRecord(declared) ? (Object.entries(declared)[0] ?? []) : []
  if (!isRecord(declared) || Object.keys(declared).length !== 1)
    throw new LlmError('config', `a parser must be ${forms}, not ${JSON.stringify(declared)}`)
  switch (kind) {
    case 'choice':
      return choice(textsOf(value, 'choice'))
    case 'json':
      if (!isRecord(value)) throw new LlmError('config', 'json: expected a JSON Schema')
      return json(value)
    case 'many':
      return many(parserOf(value))
    case 'tags':
      return declaredTags(value)
    default:
      throw new LlmError('config', `a parser must be ${forms}, not ${JSON.stringify(kind)}`)
  }
}

const tagKeys = ['xml', 'markdown', 'optional', 'optionalMarkdown', 'signals', 'requiredSignals'] as const

function declaredTags(value: unknown): Parser<unknown> {
  if (!isRecord(value)) throw new LlmError('config', 'tags: expected settings by name')
  const unknown = Object.keys(value).find((key) => !(tagKeys as readonly string[]).includes(key))
  if (unknown !== undefined) throw new LlmError('config', `tags: unknown "${unknown}"; known: ${tagKeys.join(', ')}`)
  const settings = tagKeys.flatMap((key): readonly (readonly [string, unknown])[] => {
    const one = value[key]
    if (one === undefined) return []
    return [[key, key.endsWith('ignals') ? textsOf(one, key) : parsersOf(one, key)]]
  })
  return tags(Object.fromEntries(settings))
}

/** Parsers by tag; a list of names takes their text. */
function parsersOf(value: unknown, where: string): Readonly<Record<string, Parser<unknown>>> {
  if (Array.isArray(value)) return Object.fromEntries(textsOf(value, where).map((name) => [name, text()]))
  if (!isRecord(value)) throw new LlmError('config', `tags: ${where} must be names or parsers by name`)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, parserOf(inner)]))
}

function textsOf(value: unknown, where: string): readonly string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value
  throw new LlmError('config', `${where} must be a list of texts, not ${JSON.stringify(value)}`)
}
