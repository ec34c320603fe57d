// The page of a package's exports: each declaration as the API report has it, with the comments of
// its source.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const parse = (name, text) => ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)

const sourceFiles = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => /\.ts$/.test(name))
    .sort()
    .map((name) => join(folder, name))

const declared = (statement) =>
  ts.isVariableStatement(statement)
    ? statement.declarationList.declarations.map(({ name }) => name.text)
    : statement.name?.text
      ? [statement.name.text]
      : []
const isExported = (statement) =>
  ts.canHaveModifiers(statement) &&
  (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)

/** The comment before a node, without what is not for readers. */
function commentOf(node, indent = '') {
  const text = node.getSourceFile().text
  const ranges = ts.getLeadingCommentRanges(text, node.pos) ?? []
  const last = ranges.filter(({ pos }) => text.startsWith('/**', pos)).at(-1)
  if (!last) return ''
  const lines = text.slice(last.pos, last.end).split('\n')
  return `${[lines[0].trim(), ...lines.slice(1).map((line) => ` ${line.trim()}`)].map((line) => indent + line).join('\n')}\n`
}

/** Comments of a declaration and of its members, by name. */
function commentsOf(statement) {
  const members = new Map()
  const visit = (node) => {
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
function classText(statement) {
  const text = statement.getSourceFile().text
  const members = statement.members.flatMap((member) => {
    const isHidden =
      ts.isConstructorDeclaration(member) || (member.name && ts.isPrivateIdentifier(member.name))
    if (isHidden) return []
    const end = member.body?.getStart() ?? member.initializer?.pos ?? member.end
    return [
      `${commentOf(member, '    ')}    ${text.slice(member.getStart(), end).replace(/ *=?\s*$/, '')};`,
    ]
  })
  return `${commentOf(statement)}declare class ${statement.name.text} {\n${members.join('\n')}\n}`
}

/**
 * The declarations of a package by name: their comments, and types that no entry exports but
 * signatures name, as they stand.
 */
function sourceComments(dir) {
  const found = new Map()
  const types = new Map()
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
function named(texts, types, shown) {
  const more = []
  for (const name of texts.join('\n').match(/\b[A-Z]\w+/g) ?? []) {
    if (!types.has(name) || shown.has(name)) continue
    shown.add(name)
    more.push(types.get(name))
  }
  return more.length > 0 ? [...more, ...named(more, types, shown)] : more
}

/** A declaration of the report, with the comments of its source. */
function commented(statement, comments) {
  const lines = statement.getText().split('\n')
  if (!comments) return lines.join('\n')
  const start = statement.getStart()
  const text = statement.getSourceFile().text
  const lineOf = (node) => text.slice(start, node.getStart()).split('\n').length - 1
  const inserts = []
  const done = new Set()
  const visit = (node) => {
    if (
      (ts.isTypeElement(node) || ts.isClassElement(node)) &&
      node.name &&
      ts.isIdentifier(node.name)
    ) {
      const source = comments.members.get(node.name.text)
      const line = lineOf(node)
      const indent = /^ */.exec(lines[line])[0]
      const comment = source && !done.has(node.name.text) ? commentOf(source, indent) : ''
      done.add(node.name.text)
      if (
        comment &&
        line > 0 &&
        lines[line].trimStart().startsWith(node.getText().split('\n')[0].slice(0, 12))
      )
        inserts.push([line, comment])
    }
    ts.forEachChild(node, visit)
  }
  visit(statement)
  for (const [line, comment] of inserts.reverse()) lines[line] = comment + lines[line]
  return comments.own + lines.join('\n')
}

/** What an entry exports. */
function exportedBlocks(report, comments) {
  const [, code = ''] = /```ts\n([^]*?)\n```/.exec(report) ?? []
  return parse('report.ts', code)
    .statements.filter((one) => declared(one).length > 0 && isExported(one))
    .map((one) => ({ names: declared(one), text: commented(one, comments.get(declared(one)[0])) }))
}

/**
 * Without what says nothing to a reader: `readonly`, `undefined` of optional fields, and wide
 * indents.
 */
const brief = (code) =>
  code
    .replaceAll(/\breadonly (?=[\w[{(])/g, '')
    .replace(/(\?: .+) \| undefined(?=;?$)/gm, '$1')
    .replace(/^(?: {4})+/gm, (indent) => indent.slice(indent.length / 2))

const section = (title, blocks) =>
  `## ${title}\n\n\`\`\`ts\n${brief(blocks.join('\n\n'))}\n\`\`\`\n`

/**
 * The page of a package's exports: `@modelport/runtime`, then `@modelport/runtime/ui`, …, then the
 * types that their signatures name.
 */
export function apiPage({ dir, name, entries }) {
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
