// The page of a package's exports: each declaration as the API report has it, with the comments of
// its source.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import type { Workspace } from '../workspaces.ts'

/** The comments of a declaration. */
interface Comments {
  readonly own: string
  /** The members of the declaration, by name. */
  readonly members: ReadonlyMap<string, ts.Node>
}

/** What the sources of a package say of its declarations, by name. */
interface SourceTexts {
  readonly found: ReadonlyMap<string, Comments>
  /** Types and classes as they stand. */
  readonly types: ReadonlyMap<string, string>
}

/** A declaration of the page. */
interface Block {
  readonly names: readonly string[]
  readonly text: string
}

const parse = (name: string, text: string): ts.SourceFile =>
  ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)

const sourceFiles = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => join(folder, name))

function declared(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText())
  const { name } = statement as { readonly name?: ts.Node }
  return name && ts.isIdentifier(name) ? [name.text] : []
}

const isExported = (statement: ts.Statement): boolean =>
  ts.canHaveModifiers(statement) &&
  (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)

/** The comment before a node, without what is not for readers. */
function commentOf(node: ts.Node, indent = ''): string {
  const text = node.getSourceFile().text
  const ranges = ts.getLeadingCommentRanges(text, node.pos) ?? []
  const last = ranges.filter(({ pos }) => text.startsWith('/**', pos)).at(-1)
  if (!last) return ''
  const [first = '', ...further] = text.slice(last.pos, last.end).split('\n')
  return `${[first.trim(), ...further.map((line) => ` ${line.trim()}`)].map((line) => indent + line).join('\n')}\n`
}

/** Comments of a declaration and of its members, by name. */
function commentsOf(statement: ts.Statement): Comments {
  const members = new Map<string, ts.Node>()
  const visit = (node: ts.Node): void => {
    if (
      (ts.isTypeElement(node) || ts.isClassElement(node)) &&
      node.name !== undefined &&
      ts.isIdentifier(node.name) &&
      !members.has(node.name.text)
    )
      members.set(node.name.text, node)
    ts.forEachChild(node, visit)
  }
  if (
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isClassDeclaration(statement)
  )
    visit(statement)
  return { own: commentOf(statement), members }
}

/** A class as its users see it: comments and signatures, without bodies and what is private. */
function classText(statement: ts.ClassDeclaration): string {
  const text = statement.getSourceFile().text
  const members = statement.members.flatMap((member) => {
    const isHidden =
      ts.isConstructorDeclaration(member) ||
      (member.name !== undefined && ts.isPrivateIdentifier(member.name))
    if (isHidden) return []
    const { body, initializer } = member as {
      readonly body?: ts.Node
      readonly initializer?: ts.Node
    }
    const end = body?.getStart() ?? initializer?.pos ?? member.end
    return [
      `${commentOf(member, '    ')}    ${text.slice(member.getStart(), end).replace(/ *=?\s*$/, '')};`,
    ]
  })
  return `${commentOf(statement)}declare class ${statement.name?.text ?? ''} {\n${members.join('\n')}\n}`
}

/**
 * The declarations of a package by name: their comments, and types that no entry exports but
 * signatures name, as they stand.
 */
function sourceComments(dir: string): SourceTexts {
  const found = new Map<string, Comments>()
  const types = new Map<string, string>()
  for (const file of sourceFiles(join(dir, 'src'))) {
    for (const statement of parse(file, readFileSync(file, 'utf8')).statements) {
      if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement))
        types.set(statement.name.text, commentOf(statement) + statement.getText())
      else if (ts.isClassDeclaration(statement) && statement.name)
        types.set(statement.name.text, classText(statement))
      if (!isExported(statement)) continue
      for (const name of declared(statement))
        if (!found.has(name)) found.set(name, commentsOf(statement))
    }
  }
  return { found, types }
}

/** Types that these texts name and nothing has shown yet, with those that they name in turn. */
function named(
  texts: readonly string[],
  types: SourceTexts['types'],
  shown: Set<string>,
): readonly string[] {
  const more: string[] = []
  for (const name of texts.join('\n').match(/\b[A-Z]\w+/g) ?? []) {
    const type = types.get(name)
    if (type === undefined || shown.has(name)) continue
    shown.add(name)
    more.push(type)
  }
  return more.length > 0 ? [...more, ...named(more, types, shown)] : more
}

/** A declaration of the report, with the comments of its source. */
function commented(statement: ts.Statement, comments: Comments | undefined): string {
  const lines = statement.getText().split('\n')
  if (!comments) return lines.join('\n')
  const start = statement.getStart()
  const text = statement.getSourceFile().text
  const lineOf = (node: ts.Node): number =>
    text.slice(start, node.getStart()).split('\n').length - 1
  const inserts: (readonly [line: number, comment: string])[] = []
  const done = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (
      (ts.isTypeElement(node) || ts.isClassElement(node)) &&
      node.name &&
      ts.isIdentifier(node.name)
    ) {
      const source = comments.members.get(node.name.text)
      const line = lineOf(node)
      const text = lines[line] ?? ''
      const indent = /^ */.exec(text)?.[0] ?? ''
      const [start = ''] = node.getText().split('\n')
      const comment = source && !done.has(node.name.text) ? commentOf(source, indent) : ''
      done.add(node.name.text)
      if (comment && line > 0 && text.trimStart().startsWith(start.slice(0, 12)))
        inserts.push([line, comment])
    }
    ts.forEachChild(node, visit)
  }
  visit(statement)
  for (const [line, comment] of inserts.reverse()) lines[line] = comment + (lines[line] ?? '')
  return comments.own + lines.join('\n')
}

/** What an entry exports. */
function exportedBlocks(report: string, comments: SourceTexts['found']): readonly Block[] {
  const [, code = ''] = /```ts\n([^]*?)\n```/.exec(report) ?? []
  return parse('report.ts', code)
    .statements.filter((one) => declared(one).length > 0 && isExported(one))
    .map((one) => ({
      names: declared(one),
      text: commented(one, comments.get(declared(one)[0] ?? '')),
    }))
}

/**
 * Without what says nothing to a reader: `readonly`, `undefined` of optional fields, and wide
 * indents.
 */
const brief = (code: string): string =>
  code
    .replaceAll(/\breadonly (?=[\w[{(])/g, '')
    .replace(/(\?: .+) \| undefined(?=;?$)/gm, '$1')
    .replace(/^(?: {4})+/gm, (indent) => indent.slice(indent.length / 2))

const section = (title: string, blocks: readonly string[]): string =>
  `## ${title}\n\n\`\`\`ts\n${brief(blocks.join('\n\n'))}\n\`\`\`\n`

/**
 * The page of a package's exports: `@modelport/runtime`, then `@modelport/runtime/ui`, …, then the
 * types that their signatures name.
 */
export function apiPage({ dir, name, entries }: Workspace): string {
  const { found, types } = sourceComments(dir)
  const parts = entries.flatMap(({ specifier }) => {
    const report = join(
      dir,
      'api',
      `${specifier.replace('@modelport/', '').replaceAll('/', '-')}.api.md`,
    )
    return existsSync(report)
      ? [{ specifier, blocks: exportedBlocks(readFileSync(report, 'utf8'), found) }]
      : []
  })
  const all = parts.flatMap(({ blocks }) => blocks)
  const further = named(
    all.map(({ text }) => text),
    types,
    new Set(all.flatMap(({ names }) => names)),
  )
  const sections = parts.map(({ specifier, blocks }) =>
    section(
      `\`${specifier}\``,
      blocks.map(({ text }) => text),
    ),
  )
  if (further.length > 0)
    sections.push(section('Types of these that have no export of their own', further))
  return `# What ${name} exports\n\nEvery field and every list is read-only.\n\n${sections.join('\n')}`
}
