// A newcomer installs what a page says and copies its code: the `npm install` lines name every
// package that the code imports.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { publishedPackages } from '../scripts/workspaces.ts'
import { docBlocks } from './support/doc-blocks.js'
import { readText, root } from './support/repository.js'

/** The reference: pages with programs. */
const pages = readdirSync(join(root, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)
const guides = readdirSync(join(root, 'docs/guides')).map((name) => `docs/guides/${name}`)
const readmes = publishedPackages().map(({ path }) => `${path}/README.md`)

function importedPackages(page: string): string[] {
  const code = docBlocks(page)
    .filter(({ runs }) => runs)
    .map((block) => block.code)
    .join('\n')
  const names = [...code.matchAll(/ from '([^'.][^']*)'/g)].map(([, name = '']) => name)
  const packages = names
    .filter((name) => !name.startsWith('node:'))
    .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
  return [...new Set(packages)]
}

test.each(['README.md', ...pages, ...guides, ...readmes])(
  '%s tells to install every package that its code imports',
  (page) => {
    const installed = (readText(page).match(/npm install .*/g) ?? [])
      .join(' ')
      .split(' ')
      .map((name) => name.replace(/(?<=.)@.*/, ''))
    expect(importedPackages(page).filter((name) => !installed.includes(name))).toEqual([])
  },
)
