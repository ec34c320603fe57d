// The page of a package's exports: each declaration as the API report has it, with the comments of its source.
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
  if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement) || ts.isClassDeclaration(statement))
    visit(statement)
  return { own: commentOf(statement), members }
}

/** The declarations of a package, by exported name. */
function sourceComments(dir) {
  const found = new Map()
  for (const file of sourceFiles(join(dir, 'src'))) {
    for (const statement of parse(file, readFileSync(file, 'utf8')).statements) {
      if (!isExported(statement)) continue
      for (const name of declared(statement)) if (!found.has(name)) found.set(name, commentsOf(statement))
    }
  }
  return found
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
    if ((ts.isTypeElement(node) || ts.isClassElement(node)) && node.name && ts.isIdentifier(node.name)) {
      const source = comments.members.get(node.name.text)
      const line = lineOf(node)
      const indent = /^ */.exec(lines[line])[0]
      const comment = source && !done.has(node.name.text) ? commentOf(source, indent) : ''
      done.add(node.name.text)
      if (comment && line > 0 && lines[line].trimStart().startsWith(node.getText().split('\n')[0].slice(0, 12)))
        inserts.push([line, comment])
    }
    ts.forEachChild(node, visit)
  }
  visit(statement)
  for (const [line, comment] of inserts.reverse()) lines[line] = comment + lines[line]
  return comments.own + lines.join('\n')
}

const section = (specifier, report, comments) => {
  const [, code = ''] = /```ts\n([^]*?)\n```/.exec(report) ?? []
  const statements = parse('report.ts', code).statements.filter((one) => declared(one).length > 0 && isExported(one))
  const blocks = statements.map((one) => commented(one, comments.get(declared(one)[0])))
  return `## \`${specifier}\`\n\n\`\`\`ts\n${blocks.join('\n\n')}\n\`\`\`\n`
}

/** The page of a package's exports: `@modelport/runtime`, then `@modelport/runtime/mcp`, … */
export function apiPage({ dir, name, entries }) {
  const comments = sourceComments(dir)
  const sections = entries.flatMap(({ specifier }) => {
    const report = join(dir, 'api', `${specifier.replace('@modelport/', '').replaceAll('/', '-')}.api.md`)
    return existsSync(report) ? [section(specifier, readFileSync(report, 'utf8'), comments)] : []
  })
  return `# What ${name} exports\n\n${sections.join('\n')}`
}
