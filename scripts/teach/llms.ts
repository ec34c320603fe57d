// llms.txt and llms-full.txt: the documentation for assistants that read text. The pages are those
// of the menu, in its order.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../workspaces.ts'
import { pageText, summaryOf, titleOf } from './page-text.ts'

const raw = 'https://raw.githubusercontent.com/modelport/modelport/main/'
const skill = 'skills/modelport/SKILL.md'
const references = ['recipes', 'mistakes'].map((name) => `skills/modelport/references/${name}.md`)

interface MenuSection {
  readonly name: string
  readonly pages: readonly string[]
}

/** The menu: its sections, each with the paths of its pages. */
function menu(): readonly MenuSection[] {
  const text = readFileSync(join(root, 'docs/README.md'), 'utf8')
  return text
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const [name = ''] = section.split('\n', 1)
      const named = [...section.matchAll(/\((?!\.\.)([\w/-]+\.md)\)/g)].map(
        ([, path = '']) => `docs/${path}`,
      )
      const pages = [...(name === 'Start' ? ['docs/which-function.md'] : []), ...named]
      if (!['Start', 'Build', 'Run', 'Reference'].includes(name)) return []
      const vendors = pages.filter(isVendor)
      return [
        { name, pages: pages.filter((page) => !isVendor(page)) },
        ...(vendors.length > 0 ? [{ name: 'Vendors', pages: vendors }] : []),
      ]
    })
}

const isVendor = (page: string): boolean => page.startsWith('docs/providers/')

/** A line of the index; a vendor's page is what its name says. */
const link = (page: string): string =>
  `- [${titleOf(page)}](${raw}${page})${isVendor(page) ? '' : `: ${summaryOf(page)}`}`

/**
 * What an assistant should know before it opens any page: the skill, without its front matter and
 * its heading.
 */
const essentials = (): string => pageText(skill).replace(/^---\n[^]*?\n---\n+# .*\n+/, '')

/** The short form: what there is, the rules that hold everywhere, and where each page is. */
export function llmsText(): string {
  const sections = menu().map(({ name, pages }) => `## ${name}\n\n${pages.map(link).join('\n')}\n`)
  return [
    '# modelport\n',
    '> One small, Go-style interface to every language model, in TypeScript: streams, tools, typed objects, budgets, agents that survive a killed process,',
    '> and a list of exactly the hosts that a program contacts.\n',
    essentials().replace(/^## /gm, '### '),
    `## Programs\n\n${references.map(link).join('\n')}\n`,
    ...sections,
  ].join('\n')
}

/** The long form: every page of the menu, whole. */
export function llmsFullText(): string {
  const pages = [...references, ...menu().flatMap((section) => section.pages)]
  const texts = [...new Set(pages)].map((page) => `<!-- ${page} -->\n\n${pageText(page).trim()}\n`)
  return `${llmsText()}\n${texts.join('\n')}`
}
