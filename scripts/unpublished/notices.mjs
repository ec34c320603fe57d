// What a page says in its first lines while the packages are not on npm.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { publishedPackages, root } from '../workspaces.ts'

const start = '**Not on npm yet.**'
const existing = /^> \*\*Not on npm yet\.\*\*.*\n(?:> .*\n)*\n/m
const firstParagraph = /^# .*\n\n(?:.+\n)+\n/m

/** The menus, and the skill, from which llms.txt is made. */
const menus = ['README.md', 'docs/README.md', 'skills/modelport/SKILL.md']

/** The pages with a notice. */
export const noticedPages = () => [
  ...menus,
  ...publishedPackages().map(({ path }) => `${path}/README.md`),
]

const clone = '[the repository](https://github.com/modelport/modelport)'

const forMenus =
  `${start} Whatever npm has under \`@modelport/\` is not ours. Where a page says \`npm install\`, ` +
  `run \`npm run pack --\` with the same names in a clone of https://github.com/modelport/modelport: ` +
  `it builds and packs them, and prints the \`npm install ….tgz\` line for your project. \`npx @modelport/cli\` is \`modelport\` ` +
  `after \`npm run pack -- --global @modelport/cli\`.`

const forPackage = (words) =>
  `${start} Run \`npm run pack -- ${words}\` in a clone of ${clone}: it packs what this page ` +
  `installs, and prints the \`npm install ….tgz\` line for your project.`

/** A word, or what stays on one line: code, the text of a link. */
const unbroken = /(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|[^\s`[])+/g

/** A quotation, in lines of at most 100 columns. */
function quote(text) {
  const lines = ['>']
  for (const word of text.match(unbroken)) {
    const longer = `${lines.at(-1)} ${word}`
    if (longer.length <= 100) lines.splice(-1, 1, longer)
    else lines.push(`> ${word}`)
  }
  return `${lines.join('\n')}\n\n`
}

/** The notice of a page: what its `npm install` line names, if it has one. */
function noticeOf(path, text) {
  if (menus.includes(path)) return quote(forMenus)
  const own = publishedPackages().find((one) => path === `${one.path}/README.md`)?.name
  const [, words = own] = /^npm install (.*)$/m.exec(text) ?? []
  return quote(forPackage(words))
}

/** The text of a page in the form of the day: with its notice, or without. */
export function inForm(path, text, isPublished) {
  const plain = text.replace(existing, '')
  if (isPublished) return plain
  return plain.replace(firstParagraph, (paragraph) => paragraph + noticeOf(path, plain))
}

export const readPage = (path) => readFileSync(join(root, path), 'utf8')
