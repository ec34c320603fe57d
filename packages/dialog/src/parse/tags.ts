import { configError } from '@modelport/core'
import type { ParseContext, Parsed, Parser, ParserValue } from './parser.js'
import { type Found, scanFences, scanXml } from './tag-scan.js'

/** Parsers by the name of their tag or fence. */
export type TagParsers = Readonly<Record<string, Parser<unknown>>>

/** The tags of a reply. Names are unique across all fields. */
export interface TagSettings {
  /** `<name>…</name>`, each required. */
  readonly xml?: TagParsers | undefined
  /** Fenced blocks whose first word is the name, each required. */
  readonly markdown?: TagParsers | undefined
  /** `<name>…</name>` that may be missing. */
  readonly optional?: TagParsers | undefined
  /** Fenced blocks that may be missing. */
  readonly optionalMarkdown?: TagParsers | undefined
  /** `<name>` without content: true where the reply has it. */
  readonly signals?: readonly string[] | undefined
  /** Signals that the reply must have. */
  readonly requiredSignals?: readonly string[] | undefined
}

/** The values of parsers, by the name of their tag or fence. */
export type ParsedValues<Parsers> = Parsers extends TagParsers
  ? { readonly [Name in keyof Parsers]: ParserValue<Parsers[Name]> }
  : unknown

/** The names of a list of signals. */
export type SignalNames<List> = List extends readonly (infer Name extends string)[] ? Name : never

/** The value of tags: one field for each. */
export type TagValues<Settings extends TagSettings> = ParsedValues<Settings['xml']> &
  ParsedValues<Settings['markdown']> &
  Partial<ParsedValues<Settings['optional']>> &
  Partial<ParsedValues<Settings['optionalMarkdown']>> &
  Readonly<Record<SignalNames<Settings['signals']>, boolean>> &
  Readonly<Record<SignalNames<Settings['requiredSignals']>, true>> extends infer Tags
  ? { readonly [Name in keyof Tags]: Tags[Name] }
  : never

/** A parser of every occurrence of a tag. */
export interface ManyParser<Value> extends Parser<readonly Value[]> {
  /** Reads one occurrence. */
  readonly item: Parser<Value>
}

/**
 * In `tags`: the tag may occur several times, and the value is the list of them. A required tag
 * must occur at least once.
 */
export function many<Value>(item: Parser<Value>): ManyParser<Value> {
  return {
    item,
    shape: { kind: 'many', item: item.shape },
    read: async (text, context) => {
      const parsed = await item.read(text, context)
      return parsed.ok ? { ok: true, value: [parsed.value] } : parsed
    },
  }
}

/** One tag to look for. */
interface Tag {
  readonly name: string
  readonly parser: Parser<unknown>
  readonly kind: 'xml' | 'markdown'
  readonly required: boolean
}

/**
 * Accepts a reply with these tags, and hands the content of each to its parser. Text outside of
 * them is dropped. Reports every missing, unclosed, repeated and malformed tag at once. The time is
 * linear in the length of the reply.
 * @throws {LlmError} `config` — a name is given twice or cannot stand in a tag, or there is no tag
 * at all.
 * @example
 * ```ts
 * import { json, tags } from '@modelport/dialog'
 * import { z } from 'zod'
 *
 * const parser = tags({ xml: { answer: json(z.object({ yes: z.boolean() })) } })
 * console.log(await parser.read('Let me think. <answer>{"yes": true}</answer>'))
 * ```
 *
 * ```text
 * { ok: true, value: { answer: { yes: true } } }
 * ```
 */
export function tags<const Settings extends TagSettings>(
  settings: Settings,
): Parser<TagValues<Settings>> {
  const { signals = [], requiredSignals = [] } = settings
  const list: readonly Tag[] = [
    ...toTags(settings.xml, 'xml', true),
    ...toTags(settings.markdown, 'markdown', true),
    ...toTags(settings.optional, 'xml', false),
    ...toTags(settings.optionalMarkdown, 'markdown', false),
  ]
  checkNames([...list.map(({ name }) => name), ...signals, ...requiredSignals])
  const shapes = list.map(({ name, parser, kind, required }) => ({
    name,
    kind,
    required,
    parser: parser.shape,
  }))
  return {
    shape: { kind: 'tags', tags: shapes, signals, requiredSignals },
    read: async (text, context) => {
      const problems: string[] = []
      const entries: [string, unknown][] = []
      const find = finderOf(list, text)
      for (const tag of list) {
        const parsed = await readTag(tag, find(tag), context)
        if (!parsed.ok) problems.push(...parsed.problems)
        else if (parsed.value !== undefined) entries.push([tag.name, parsed.value])
      }
      for (const name of [...signals, ...requiredSignals])
        entries.push([name, text.includes(`<${name}>`)])
      for (const name of requiredSignals)
        if (!text.includes(`<${name}>`))
          problems.push(`<${name}> is missing: the reply must contain it`)
      // Each entry has the type that its parser gives it.
      const value = Object.fromEntries(entries) as TagValues<Settings>
      return problems.length ? { ok: false, problems } : { ok: true, value }
    },
    partial: (text) => {
      const find = finderOf(list, text)
      const entries = list.flatMap((tag): readonly (readonly [string, unknown])[] => {
        const value = partialOf(tag.parser, find(tag))
        return value === undefined ? [] : [[tag.name, value]]
      })
      return entries.length ? Object.fromEntries(entries) : undefined
    },
  }
}

const toTags = (
  parsers: TagParsers | undefined,
  kind: Tag['kind'],
  required: boolean,
): readonly Tag[] =>
  Object.entries(parsers ?? {}).map(([name, parser]) => ({ name, parser, kind, required }))

function checkNames(names: readonly string[]): void {
  if (!names.length) throw configError('tags: give at least one tag')
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) !== index) throw configError(`tags: the name "${name}" is given twice`)
    if (!/^[A-Za-z_][\w.:-]*$/.test(name) || name === '__proto__')
      throw configError(
        `tags: ${JSON.stringify(name)} is not a tag name; start it with a letter, then letters, digits, "_", "-" or "."`,
      )
  }
}

/** Finds the contents of a tag; the fences of a text are read once for all of them. */
function finderOf(list: readonly Tag[], text: string): (tag: Tag) => Found {
  const fences = list.some(({ kind }) => kind === 'markdown') ? scanFences(text) : undefined
  const none: Found = { contents: [], isOpen: false, open: '' }
  return ({ kind, name }) => (kind === 'xml' ? scanXml(text, name) : (fences?.get(name) ?? none))
}

const isMany = (parser: Parser<unknown>): parser is ManyParser<unknown> => 'item' in parser

async function readTag(
  { name, parser, kind, required }: Tag,
  { contents, isOpen }: Found,
  context: ParseContext | undefined,
): Promise<Parsed<unknown>> {
  const [tag, end] =
    kind === 'xml' ? [`<${name}>`, `</${name}>`] : [`the \`\`\`${name} block`, '```']
  const problems = isOpen ? [`${tag} is not closed: end it with ${end}`] : []
  if (!contents.length) {
    const missing =
      required && !isOpen ? [`${tag} is missing: the reply must contain it`] : problems
    return missing.length ? { ok: false, problems: missing } : { ok: true, value: undefined }
  }
  if (contents.length > 1 && !isMany(parser))
    problems.push(`${tag} occurs ${contents.length} times: give it once`)
  const values: unknown[] = []
  for (const [index, content] of contents.entries()) {
    const parsed = await (isMany(parser) ? parser.item : parser).read(content.trim(), context)
    const where = contents.length > 1 ? `${tag} ${index + 1}` : tag
    if (parsed.ok) values.push(parsed.value)
    else problems.push(...parsed.problems.map((one) => `${where}: ${one}`))
  }
  if (problems.length) return { ok: false, problems }
  return { ok: true, value: isMany(parser) ? values : values[0] }
}

function partialOf(parser: Parser<unknown>, { contents, isOpen, open }: Found): unknown {
  const texts = isOpen ? [...contents, open] : contents
  if (!isMany(parser)) return texts[0] === undefined ? undefined : parser.partial?.(texts[0].trim())
  const values = texts.flatMap((text) => parser.item.partial?.(text.trim()) ?? [])
  return values.length ? values : undefined
}
