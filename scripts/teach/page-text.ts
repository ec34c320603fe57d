// A page of the repository as a package or an assistant gets it: no hidden comments, and links that
// lead somewhere from where it lies.
import { readFileSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { root } from '../workspaces.ts'

const repository = 'https://github.com/modelport/modelport/blob/main/'
const fences = /(^```[^]*?^```$)/m
const link = /(\]\()((?!https?:|#|mailto:)[^)\s#]+)(#[^)\s]*)?(?=\))/g

/** The path in the repository that a link of a page names. */
const targetOf = (page: string, path: string): string =>
  posix.normalize(posix.join(posix.dirname(page), path))

/** Each piece of the text outside of code, changed. */
const outsideCode = (text: string, change: (part: string) => string): string =>
  text
    .split(fences)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('')

const withoutComments = (text: string): string => text.replace(/^<!--[^]*?-->\n+/gm, '')

/**
 * The text of a page whose links lead to `addressOf(path)`, a path of the repository; by default to
 * the repository's address.
 */
export function pageText(
  page: string,
  addressOf: (path: string) => string | undefined = () => undefined,
): string {
  const text = readFileSync(join(root, page), 'utf8')
  return outsideCode(withoutComments(text), (part) =>
    part.replace(link, (_, open: string, path: string, anchor = '') => {
      const target = targetOf(page, path)
      return `${open}${addressOf(target) ?? repository + target}${anchor}`
    }),
  )
}

/** The pages that lie next to each other in the folder of a package, each under its base name. */
export const carriedText = (page: string, neighbours: readonly string[]): string =>
  pageText(page, (target) => (neighbours.includes(target) ? nameOf(target, neighbours) : undefined))

/**
 * `docs/guides/tools.md` next to `docs/tools.md` is `guide-tools.md`; else a page keeps its name.
 */
export const nameOf = (page: string, neighbours: readonly string[]): string => {
  const name = basename(page)
  const isTwice = neighbours.some((other) => other !== page && basename(other) === name)
  return isTwice && page.startsWith('docs/guides/') ? `guide-${name}` : name
}

/** The heading of a page. */
export const titleOf = (page: string): string =>
  (/^# (.+)$/m.exec(readFileSync(join(root, page), 'utf8'))?.[1] ?? basename(page)).replaceAll(
    '`',
    '',
  )

/**
 * What a reader of the page learns, in one sentence: its first paragraph without "After reading
 * this page you can".
 */
export function summaryOf(page: string): string {
  const prose = withoutComments(pageText(page)).replace(/^```[^]*?^```$/gm, '')
  const paragraph = prose.split(/\n{2,}/).find((part) => /^[A-Z`[*]/.test(part)) ?? ''
  const sentence = paragraph.replaceAll('\n', ' ').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  const first = /^.*?[.:?](?= |$)/.exec(sentence)?.[0] ?? sentence
  return first
    .replace(/^After reading this (?:page|guide)(?:,[^,]*,)? you (?:can|know|have) /, '')
    .replace(/[.:]$/, '')
}
