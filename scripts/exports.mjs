// What the packages export, read from their API reports, and which of it somebody needs.
//
// A value is needed if a block of a page, an example, the benchmark or another package imports it;
// a test kit's also if a test of another package does. A type or class is needed if they import it,
// or if the declaration of a needed name mentions it.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { discoverWorkspaces, root } from './workspaces.mjs'

const workspaces = discoverWorkspaces()
const packages = workspaces.filter(
  ({ path, isPrivate }) => path.startsWith('packages/') && !isPrivate,
)

/** Skips installed and built folders before it reads them: they hold millions of files. */
const filesBelow = (folder, pattern) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory())
      return /^(?:node_modules|dist)$/.test(entry.name) ? [] : filesBelow(path, pattern)
    return entry.isFile() && pattern.test(entry.name) ? [join(root, path)] : []
  })

const isExported = (node) =>
  node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false
const isType = (node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)

const identifiersOf = (node, found = new Set()) => {
  if (ts.isIdentifier(node)) found.add(node.text)
  ts.forEachChild(node, (child) => void identifiersOf(child, found))
  return found
}

/**
 * The declarations of one API report: a name, whether it is a type, and the identifiers that it
 * mentions.
 */
const declarationsOf = (report) => {
  const code = /```ts\n([^]*?)```/.exec(report)?.[1] ?? ''
  const source = ts.createSourceFile('report.ts', code, ts.ScriptTarget.Latest)
  const local = source.statements.flatMap((node) => {
    const names = ts.isVariableStatement(node)
      ? node.declarationList.declarations.map(({ name }) => name.text)
      : node.name
        ? [node.name.text]
        : []
    return names.map((name) => ({
      name,
      isType: isType(node),
      isClass: ts.isClassDeclaration(node),
      isExported: isExported(node),
      mentions: identifiersOf(node),
    }))
  })
  const again = source.statements
    .filter(ts.isExportDeclaration)
    .flatMap((node) => node.exportClause?.elements ?? [])
  return [
    ...local,
    ...again.map(({ name }) => ({
      name: name.text,
      isType: true,
      isExported: true,
      isReexport: true,
      mentions: new Set(),
    })),
  ]
}

/** The exports of a package over all its entries, by name; a class counts as a value. */
const exportsOf = ({ dir }) => {
  const names = new Map()
  const reports = join(dir, 'api')
  if (!existsSync(reports)) throw new Error(`${reports} is missing; run pnpm api:update`)
  for (const file of readdirSync(reports)) {
    for (const declaration of declarationsOf(readFileSync(join(dir, 'api', file), 'utf8'))) {
      if (!declaration.isExported) continue
      const known = names.get(declaration.name)
      names.set(declaration.name, {
        name: declaration.name,
        isType: declaration.isType && (known?.isType ?? true),
        isClass: declaration.isClass,
        isReexport: declaration.isReexport === true,
        // The declaration names itself, which makes nobody need it.
        mentions: new Set(
          [...(known?.mentions ?? []), ...declaration.mentions].filter(
            (one) => one !== declaration.name,
          ),
        ),
      })
    }
  }
  return names
}

const importPattern =
  /(?:import|export)\s+(?:type\s+)?([\w$*{},\s]+?)\s+from\s*['"](@modelport\/[\w-]+)(?:\/[\w-]+)?['"]/g
const latePattern =
  /(?:(?:const|let)\s+(\{[^}]*\}|\w+)\s*=\s*await\s+)?import\(\s*['"](@modelport\/[\w-]+)(?:\/[\w-]+)?['"]\s*\)(?:\)?\.(?!catch\b|then\b)(\w+))?/g

/** Pairs of a package and a name that a text imports. */
const importsOf = (text) => {
  const found = []
  const take = (clause, specifier) => {
    const space = /^\*\s+as\s+(\w+)$|^(\w+)$/.exec(clause.trim())
    if (space) {
      const name = space[1] ?? space[2]
      for (const [, member] of text.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g')))
        found.push([specifier, member])
      for (const [, members] of text.matchAll(new RegExp(`\\{([^{}]*)\\} = ${name}\\b`, 'g')))
        take(members, specifier)
      return
    }
    for (const part of clause.replace(/[{}]/g, ' ').split(',')) {
      const [name] = part
        .trim()
        .replace(/^type\s+/, '')
        .split(/\s+as\s+|\s*:\s*/)
      if (name) found.push([specifier, name])
    }
  }
  for (const [, clause, specifier] of text.matchAll(importPattern)) take(clause, specifier)
  for (const [, clause, specifier, member] of text.matchAll(latePattern)) {
    if (member) found.push([specifier, member])
    else if (clause) take(clause, specifier)
  }
  return found
}

const codeOf = (page) =>
  [...page.matchAll(/```(?:ts|tsx|js|mjs)[^\n]*\n([^]*?)```|<!-- given\n([^]*?)-->/g)].map(
    ([, code, given]) => code ?? given,
  )

/** `kept-exports.json`: the reasons for exports that no block, example or package uses. */
export const readKept = () =>
  JSON.parse(readFileSync(join(root, 'scripts/kept-exports.json'), 'utf8'))

/** The texts that make an export needed: path and code. */
const users = () => [
  ...filesBelow('docs', /\.md$/).map((path) => ({
    path,
    texts: codeOf(readFileSync(path, 'utf8')),
  })),
  { path: join(root, 'README.md'), texts: codeOf(readFileSync(join(root, 'README.md'), 'utf8')) },
  ...packages.map(({ dir }) => ({
    path: join(dir, 'README.md'),
    texts: codeOf(readFileSync(join(dir, 'README.md'), 'utf8')),
  })),
  ...['examples', 'bench', 'packages', 'test'].flatMap((folder) =>
    filesBelow(folder, /\.[cm]?tsx?$|\.mjs$/).map((path) => ({
      path,
      texts: [readFileSync(path, 'utf8')],
    })),
  ),
]

/** Packages for tests: what only tests of other packages import is needed too. */
const testKits = new Set(['@modelport/conformance', '@modelport/provider-mock'])

const usedNames = () => {
  const used = new Set()
  for (const { path, texts } of users()) {
    const isTest = path.startsWith(join(root, 'test')) || /\/packages\/[^/]+\/test\//.test(path)
    const owner = /\/packages\/([^/]+)\//.exec(path)?.[1]
    const isPage = path.endsWith('.md')
    for (const [specifier, name] of texts.flatMap(importsOf)) {
      if (!isPage && specifier === `@modelport/${owner}`) continue
      if (isTest && !testKits.has(specifier) && !/contract/i.test(name)) continue
      used.add(`${specifier} ${name}`)
    }
  }
  return used
}

/**
 * @returns for each published package its exports, by name: `isType`, and `isNeeded`.
 */
export const measureExports = (kept = {}) => {
  const used = usedNames()
  return packages.map((workspace) => {
    const names = exportsOf(workspace)
    const isUsed = ({ name }) =>
      used.has(`${workspace.name} ${name}`) || kept[workspace.name]?.[name] !== undefined
    const needed = new Set()
    const need = (found) => {
      if (needed.has(found.name)) return
      needed.add(found.name)
      for (const mention of found.mentions) {
        const other = names.get(mention)
        if (other && (other.isType || other.isClass)) need(other)
      }
    }
    for (const found of names.values()) if (isUsed(found)) need(found)
    return {
      name: workspace.name,
      exports: [...names.values()].map((found) => ({
        name: found.name,
        isType: found.isType,
        isReexport: found.isReexport,
        isNeeded: needed.has(found.name),
      })),
    }
  })
}
