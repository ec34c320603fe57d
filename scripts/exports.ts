// What the packages export, read from their API reports, and which of it somebody needs.
//
// A value is needed if a block of a page, an example, the benchmark or another package imports it;
// a test kit's also if a test of another package does. A type or class is needed if they import it,
// or if the declaration of a needed name mentions it.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { discoverWorkspaces, root, type Workspace } from './workspaces.ts'

/** One exported name of a package, over all its entries. */
export interface ExportedName {
  readonly name: string
  readonly isType: boolean
  /** Exported again from the package that owns it. */
  readonly isReexport: boolean
  /** Something imports it, or a needed declaration mentions it. */
  readonly isNeeded: boolean
}

/** The exports of one package. */
export interface PackageExports {
  readonly name: string
  readonly exports: readonly ExportedName[]
}

/** Reasons for exports that no block, example or package uses: by package and name. */
export type Kept = Readonly<Record<string, Readonly<Record<string, string>>>>

/** A declaration of an API report. */
interface Declaration {
  readonly name: string
  readonly isType: boolean
  readonly isClass: boolean
  readonly isExported: boolean
  readonly isReexport: boolean
  /** The identifiers in it. */
  readonly mentions: ReadonlySet<string>
}

const workspaces = discoverWorkspaces()
const packages = workspaces.filter(
  ({ path, isPrivate }) => path.startsWith('packages/') && !isPrivate,
)

/** Skips installed and built folders before it reads them: they hold millions of files. */
const filesBelow = (folder: string, pattern: RegExp): readonly string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory())
      return /^(?:node_modules|dist)$/.test(entry.name) ? [] : filesBelow(path, pattern)
    return entry.isFile() && pattern.test(entry.name) ? [join(root, path)] : []
  })

const isExported = (node: ts.Node): boolean =>
  ts.canHaveModifiers(node) &&
  (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)

const isType = (node: ts.Node): boolean =>
  ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)

const identifiersOf = (node: ts.Node, found = new Set<string>()): Set<string> => {
  if (ts.isIdentifier(node)) found.add(node.text)
  ts.forEachChild(node, (child) => void identifiersOf(child, found))
  return found
}

/**
 * The declarations of one API report: a name, whether it is a type, and the identifiers that it
 * mentions.
 */
const declarationsOf = (report: string): readonly Declaration[] => {
  const code = /```ts\n([^]*?)```/.exec(report)?.[1] ?? ''
  const source = ts.createSourceFile('report.ts', code, ts.ScriptTarget.Latest, true)
  const local = source.statements.flatMap((node) => {
    return namesOf(node).map((name) => ({
      name,
      isType: isType(node),
      isClass: ts.isClassDeclaration(node),
      isExported: isExported(node),
      isReexport: false,
      mentions: identifiersOf(node),
    }))
  })
  const again = source.statements
    .filter(ts.isExportDeclaration)
    .flatMap(({ exportClause }) =>
      exportClause && ts.isNamedExports(exportClause) ? exportClause.elements : [],
    )
  return [
    ...local,
    ...again.map(({ name }) => ({
      name: name.text,
      isType: true,
      isClass: false,
      isExported: true,
      isReexport: true,
      mentions: new Set<string>(),
    })),
  ]
}

/** The names that a statement declares. */
function namesOf(node: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(node))
    return node.declarationList.declarations.map(({ name }) => name.getText())
  const { name } = node as { readonly name?: ts.Node }
  return name && ts.isIdentifier(name) ? [name.text] : []
}

/** The exports of a package over all its entries, by name; a class counts as a value. */
const exportsOf = ({ dir }: Workspace): ReadonlyMap<string, Declaration> => {
  const names = new Map<string, Declaration>()
  const reports = join(dir, 'api')
  if (!existsSync(reports)) throw new Error(`${reports} is missing; run pnpm api:update`)
  for (const file of readdirSync(reports)) {
    for (const declaration of declarationsOf(readFileSync(join(dir, 'api', file), 'utf8'))) {
      if (!declaration.isExported) continue
      const known = names.get(declaration.name)
      names.set(declaration.name, {
        ...declaration,
        isType: declaration.isType && (known?.isType ?? true),
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

/** A package, and a name that a text imports from it. */
type Import = readonly [specifier: string, name: string]

const importsOf = (text: string): readonly Import[] => {
  const found: Import[] = []
  const take = (clause: string, specifier: string): void => {
    const space = /^\*\s+as\s+(\w+)$|^(\w+)$/.exec(clause.trim())
    if (space) {
      const name = space[1] ?? space[2] ?? ''
      for (const [, member = ''] of text.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g')))
        found.push([specifier, member])
      for (const [, members = ''] of text.matchAll(new RegExp(`\\{([^{}]*)\\} = ${name}\\b`, 'g')))
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
  for (const [, clause = '', specifier = ''] of text.matchAll(importPattern))
    take(clause, specifier)
  for (const [, clause, specifier = '', member] of text.matchAll(latePattern)) {
    if (member) found.push([specifier, member])
    else if (clause) take(clause, specifier)
  }
  return found
}

const codeOf = (page: string): readonly string[] =>
  [...page.matchAll(/```(?:ts|tsx|js|mjs)[^\n]*\n([^]*?)```|<!-- given\n([^]*?)-->/g)].map(
    ([, code, given]) => code ?? given ?? '',
  )

/** `kept-exports.json`: the reasons for exports that no block, example or package uses. */
export const readKept = (): Kept =>
  JSON.parse(readFileSync(join(root, 'scripts/kept-exports.json'), 'utf8')) as Kept

/** A file that makes an export needed. */
interface User {
  readonly path: string
  /** Its code; of a page, each block. */
  readonly texts: readonly string[]
}

const users = (): readonly User[] => [
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

const usedNames = (): ReadonlySet<string> => {
  const used = new Set<string>()
  for (const { path, texts } of users()) {
    const isTest = path.startsWith(join(root, 'test')) || /\/packages\/[^/]+\/test\//.test(path)
    const owner = /\/packages\/([^/]+)\//.exec(path)?.[1]
    const isPage = path.endsWith('.md')
    for (const [specifier, name] of texts.flatMap(importsOf)) {
      if (!isPage && specifier === `@modelport/${owner ?? ''}`) continue
      if (isTest && !testKits.has(specifier) && !/contract/i.test(name)) continue
      used.add(`${specifier} ${name}`)
    }
  }
  return used
}

/** The exports of each published package, and which of them somebody needs. */
export const measureExports = (kept: Kept = {}): readonly PackageExports[] => {
  const used = usedNames()
  return packages.map((workspace) => {
    const names = exportsOf(workspace)
    const isUsed = ({ name }: Declaration): boolean =>
      used.has(`${workspace.name} ${name}`) || kept[workspace.name]?.[name] !== undefined
    const needed = new Set<string>()
    const need = (found: Declaration): void => {
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
