import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readText, root } from './repository.js'

/** One TypeScript block of a page: what a reader would save as a file. */
export interface DocBlock {
  /** Path of the page. */
  readonly page: string
  /** Its first line in the page. */
  readonly line: number
  /** The code, after what the page says is given. */
  readonly code: string
  /** Name of its file: that of a first line `// name.ts`, else by its number. */
  readonly name: string
  /** False for a block that cannot run in a test: ` ```ts no-run `. */
  readonly runs: boolean
}

/** A comment `<!-- given … -->` before a block is code that runs before it, hidden from readers. */
const fence = /(?:^<!-- given\n([^]*?)\n-->\n+)?^```ts( no-run)?\n([^]*?)^```$/gm
const yamlFence = /^```yaml\n([^]*?)^```$/gm

/** The text of a page. Of a source file only what its comments say, line by line. */
function pageText(page: string): string {
  const text = readText(page)
  if (!page.endsWith('.ts')) return text
  const lines = text.split('\n').map((line) => /^ \*(?: (.*))?$/.exec(line)?.[1] ?? '')
  return lines.join('\n')
}

/** The TypeScript blocks of a page or of the comments of a source file, in order. */
export function docBlocks(page: string): DocBlock[] {
  const text = pageText(page)
  return [...text.matchAll(fence)].map(({ index, 0: whole, 1: given, 2: mark, 3: code = '' }, position) => ({
    page,
    line: text.slice(0, index + whole.indexOf('```ts')).split('\n').length + 1,
    code: given ? `${given}\n${code}` : code,
    name: /^\/\/ (\S+\.ts)\n/.exec(code)?.[1] ?? `block-${position + 1}.ts`,
    runs: !mark,
  }))
}

/** Where a page's files are written; ignored by git. */
export const pageFolder = (kind: string, page: string): string =>
  join(root, '.cache', kind, page.replace(/\.(?:md|ts)$/, '').replaceAll('/', '-'))

/** Writes the files of a page as a reader would, after `change`; its YAML is `config.yaml`. Returns their paths. */
export function writePage(kind: string, page: string, change: (code: string) => string = (code) => code): string[] {
  const folder = pageFolder(kind, page)
  rmSync(folder, { recursive: true, maxRetries: 5, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [, yaml = ''] of pageText(page).matchAll(yamlFence))
    writeFileSync(join(folder, 'config.yaml'), change(yaml))
  return docBlocks(page).map(({ name, code }) => {
    const file = join(folder, name)
    writeFileSync(file, /^(?:import|export) /m.test(code) ? change(code) : `${change(code)}\nexport {}\n`)
    return file
  })
}
