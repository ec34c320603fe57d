import { discoverWorkspaces } from '../../scripts/workspaces.ts'
import { foreignNames } from './foreign-names.js'
import { readText, repositoryFiles } from './repository.js'

/** A name on a page, in code type. */
export interface PageName {
  readonly page: string
  readonly line: number
  readonly name: string
}

const isSource = (path: string): boolean =>
  /\.(?:ts|tsx|mts|mjs|js|json|ya?ml)$/.test(path) &&
  !/^docs\/|^evidence\/|^pnpm-lock|^test\/corpus\/|foreign-names\.ts$|page-names\.test\.ts$/.test(
    path,
  )

/** Pages that tell what was, lists that a program writes, and quotes of other projects. */
const isHistory = (path: string): boolean =>
  /CHANGELOG|^\.changeset\/|^docs\/decisions\/|\/api\/|\/fixtures\/|-results\.md$|compare-cells\.md$/.test(
    path,
  )

export const pagesWithNames = (): readonly string[] =>
  repositoryFiles().filter((path) => path.endsWith('.md') && !isHistory(path))

const sourceTexts = repositoryFiles()
  .filter((path) => isSource(path) || path === '.ci/run')
  .map(readText)
const sources = sourceTexts.join('\n')

/** Identifiers, options of programs, and what `parseArgs` takes as an option. */
const known = new Set([
  ...(sources.match(/[A-Za-z_$][\w$]*/g) ?? []),
  ...(sources.match(/--[a-z][a-z-]+/g) ?? []),
  ...[...sources.matchAll(/['"]?([a-z][a-z-]+)['"]?: \{ type: '(?:string|boolean)'/g)].map(
    ([, name]) => `--${name}`,
  ),
  ...discoverWorkspaces().flatMap(({ name, entries }) => [
    name,
    ...entries.map(({ specifier }) => specifier),
  ]),
])

/** The command line's commands, `agent tasks` too. */
const commands = new Set<string>()
for (const path of repositoryFiles().filter((one) => one.startsWith('packages/cli/src/program/')))
  for (const [, parent = '', name = ''] of readText(path).matchAll(
    /(\w*)\s*\.command\('([a-z]+)[^']*'/g,
  ))
    commands.add(['agent', 'budget', 'mcp'].includes(parent) ? `${parent} ${name}` : name)

/** A name of two words or more: single words are words of English too. */
const identifier = /(?<![\w$./@-])(?:[a-z]+[A-Z]\w*|[A-Z][a-z]\w*[A-Z]\w*)/g
const option = /(?<![\w-])--[a-z][a-z-]+/g
const specifier = /@modelport\/[a-z-]+(?:\/[a-z-]+)*/g

/** `createX` and `withX` stand for all names of that form. */
const isPattern = (name: string): boolean => name.endsWith('X')

/** A command as it is typed, at the start of a line or after a prompt, a pipe or `npx`. */
const command =
  /(?:^\s*|[|&;$] |npx )(?:modelport|@modelport\/cli) ((?:agent |budget |mcp )?[a-z]+)(?![\w.:/-])/g

function unknownCommands(text: string): readonly string[] {
  const called = [...text.matchAll(command)]
  return called
    .map(([, name = '']) => name)
    .filter((name) => !commands.has(name))
    .map((name) => `modelport ${name}`)
}

/** Names on a page, in code type, that exist nowhere in the sources. */
export function unknownNames(page: string, text: string = readText(page)): readonly PageName[] {
  const foreign = new Set((foreignNames[page] ?? []).flatMap(({ names }) => names))
  const isUnknown = (name: string): boolean =>
    !known.has(name) && !foreign.has(name) && !isPattern(name)
  const found: PageName[] = []
  let isBlock = false
  for (const [index, line] of text.split('\n').entries()) {
    if (line.startsWith('```')) isBlock = !isBlock
    // The first cell of this page names what is not here.
    const shown = page === 'docs/not-here.md' ? line.replace(/^\| [^|]* \|/, '|') : line
    const spans = isBlock || line.startsWith('    ') ? [] : [...shown.matchAll(/`([^`]+)`/g)]
    const code = spans.map(([, span = '']) => span)
    const names = code.flatMap((span) => [
      ...(span.match(identifier) ?? []),
      ...(span.match(option) ?? []),
    ])
    const lines = isBlock || line.startsWith('    ') ? [shown] : code
    const missing = [
      ...names.filter(isUnknown),
      ...(shown.match(specifier) ?? []).filter(isUnknown),
      ...lines.flatMap(unknownCommands),
    ]
    for (const name of missing) found.push({ page, line: index + 1, name })
  }
  return found
}
