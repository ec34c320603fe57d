import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readText, root } from './repository.js'

/** One TypeScript block of a page: what a reader would save as a file. */
export interface DocBlock {
  /** Path of the page. */
  readonly page: string
  /** Its first line in the page. */
  readonly line: number
  /**
   * Where the lines of its output begin, or belong, counted from 0: after its closing fence; and
   * how many there are, fences included.
   */
  readonly output: { readonly from: number; readonly lines: number }
  /** The code, after what the page says is given. */
  readonly code: string
  /** Name of its file: that of a first line `// name.ts`, else by its number. */
  readonly name: string
  /** False for a block that cannot run in a test: ` ```ts no-run `. */
  readonly runs: boolean
  /** What it prints: the ` ```text ` block right after it. Undefined: nothing. */
  readonly prints: string | undefined
  /** What the model says, a turn a line, from a comment `<!-- model … -->` before the block. */
  readonly replies: readonly string[]
}

/**
 * Comments right before a block that readers do not see: `<!-- given … -->` is code that runs
 * before it, `<!-- model … -->` what the model says in it.
 */
const fence =
  /((?:^<!-- (?:given|model)\n[^]*?\n-->\n+)*)^```ts( no-run)?\n([^]*?)^```\n(?:\n*```text\n([^]*?)^```$)?/gm
const comment = (before: string, name: string): string | undefined =>
  new RegExp(`^<!-- ${name}\\n([^]*?)\\n-->`, 'm').exec(before)?.[1]
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
  return [...text.matchAll(fence)].map(
    ([whole, before = '', mark, code = '', prints], position, all) => {
      const given = comment(before, 'given')
      const gap = (/```\n(\n*)```text\n[^]*$/.exec(whole)?.[1] ?? '').length
      const line =
        text.slice(0, (all[position]?.index ?? 0) + whole.indexOf('```ts')).split('\n').length + 1
      return {
        page,
        line,
        output: {
          from: line + code.split('\n').length - 1,
          lines: prints === undefined ? 0 : prints.split('\n').length + gap + 1,
        },
        code: given === undefined ? code : `${given}\n${code}`,
        name: /^\/\/ (\S+\.m?ts)\n/.exec(code)?.[1] ?? `block-${position + 1}.ts`,
        runs: !mark,
        prints,
        replies: comment(before, 'model')?.split('\n') ?? [],
      }
    },
  )
}

/** Where a page's files are written; ignored by git. */
export const pageFolder = (kind: string, page: string): string =>
  join(root, '.cache', kind, page.replace(/\.(?:md|ts)$/, '').replaceAll('/', '-'))

/**
 * Writes the files of a page as a reader would, after `change`; its YAML is `config.yaml`. Returns
 * their paths.
 */
export function writePage(
  kind: string,
  page: string,
  change: (code: string) => string = (code) => code,
): string[] {
  const folder = pageFolder(kind, page)
  rmSync(folder, { recursive: true, maxRetries: 5, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [, yaml = ''] of pageText(page).matchAll(yamlFence))
    writeFileSync(join(folder, 'config.yaml'), change(yaml))
  return docBlocks(page).map(({ name, code }) => {
    const file = join(folder, name)
    writeFileSync(
      file,
      /^(?:import|export) /m.test(code) ? change(code) : `${change(code)}\nexport {}\n`,
    )
    return file
  })
}

/** Writes what the blocks of a page printed into the page, each into its ` ```text ` block. */
export function writePrinted(
  page: string,
  printed: readonly { readonly block: DocBlock; readonly text: string }[],
): void {
  const lines = readText(page).split('\n')
  const prefix = page.endsWith('.ts') ? ' * ' : ''
  for (const { block, text } of [...printed].sort((a, b) => b.block.line - a.block.line)) {
    const output = text ? ['', '```text', ...text.split('\n'), '```'] : []
    lines.splice(
      block.output.from,
      block.output.lines,
      ...output.map((line) => `${prefix}${line}`.trimEnd()),
    )
  }
  writeFileSync(join(root, page), lines.join('\n'))
}
