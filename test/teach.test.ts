// What assistants read: llms.txt, the skill, and the pages in the package of each release.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { apiPage } from '../scripts/teach/api-page.ts'
import { llmsFullText, llmsText } from '../scripts/teach/llms.ts'
import { carriedText, nameOf } from '../scripts/teach/page-text.ts'
import { carried, notCarried } from '../scripts/teach/pages.ts'
import { publishedPackages } from '../scripts/workspaces.ts'
import { readText, repositoryFiles, root } from './support/repository.js'

const short = llmsText()
const linked = (text: string): string[] =>
  [...text.matchAll(/\]\((?!#)([^)\s#]+)/g)].map(([, address = '']) => address)
const own =
  /^https:\/\/(?:raw\.githubusercontent\.com\/modelport\/modelport|github\.com\/modelport\/modelport\/(?:blob|tree))\/main\//

describe('llms.txt', () => {
  test('llms.txt is what the pages give: `pnpm llms` writes it', () => {
    expect(readText('llms.txt')).toBe(short)
  })

  test('llms.txt fits into 8,000 tokens', () => {
    expect(short.length / 3.5).toBeLessThan(8000)
  })

  test('llms.txt leads only to files of this repository, and to every page of the menu', () => {
    const targets = linked(short).map((address) => address.replace(own, ''))
    expect(targets.filter((target) => !existsSync(join(root, target)))).toEqual([])
    const menu = linked(readText('docs/README.md')).filter((path) => /^[\w/-]+\.md$/.test(path))
    expect(menu.filter((path) => !targets.includes(`docs/${path}`))).toEqual([])
  })

  test('llms.txt has a long form with each page whole, and nothing that only the tests read', () => {
    const long = llmsFullText()
    expect(long).toContain(
      readText('docs/errors.md')
        .split('\n')
        .find((line) => line.startsWith('| `truncated`')),
    )
    expect(long).not.toMatch(/^<!-- (?:given|model)/m)
    expect(linked(long).filter((address) => !/^(?:https?:|mailto:)/.test(address))).toEqual([])
  })
})

describe('the pages of a package', () => {
  const packages = publishedPackages()
  const pages = repositoryFiles().filter((path) =>
    /^docs\/(?:guides\/|providers\/)?[\w-]+\.md$/.test(path),
  )

  test('every page is carried by a package, or is not for a reason', () => {
    const all = [...Object.values(carried).flat(), ...notCarried.map(({ where }) => where)]
    expect(pages.filter((page) => !all.includes(page))).toEqual([])
    expect(all.filter((page) => !pages.includes(page))).toEqual([])
    expect(Object.keys(carried).sort()).toEqual(packages.map(({ shortName }) => shortName).sort())
  })

  test.each(packages)(
    '$name has its guides and its exports in at most 260 kB, with links that lead somewhere',
    (one) => {
      const neighbours = carried[one.shortName] ?? []
      const names = neighbours.map((page) => nameOf(page, neighbours))
      expect(new Set([...names, 'api.md']).size).toBe(neighbours.length + 1)
      const texts = neighbours.map((page) => carriedText(page, neighbours))
      expect(Buffer.byteLength([...texts, apiPage(one)].join(''))).toBeLessThan(260_000)
      const astray = texts
        .flatMap(linked)
        .filter((address) =>
          own.test(address)
            ? !existsSync(join(root, address.replace(own, '')))
            : !address.startsWith('http') &&
              !address.startsWith('mailto:') &&
              !names.includes(address),
        )
      expect(astray).toEqual([])
    },
  )

  test('the page of exports shows each declaration with the comments of its source', () => {
    const core = packages.find(({ shortName }) => shortName === 'core')
    if (!core) throw new Error('there is no core')
    const page = apiPage(core)
    expect(page).toContain(
      '  /** Randomness, 0 to 2. Unset: none is sent. */\n  temperature?: number;\n',
    )
    expect(page).toContain('Every field and every list is read-only.')
    expect(page).not.toMatch(/^ *readonly /m)
    const runtime = packages.find(({ shortName }) => shortName === 'runtime')
    // a field of a type that has no export
    expect(runtime && apiPage(runtime)).toMatch(/ maxSteps\?: number/)
    expect(page).toMatch(
      /^ \* True for any modelport error, [^/]*\*\/\nexport function isLlmError\(/m,
    )
  })
})
