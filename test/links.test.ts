// Every relative link in a page leads to a file, and every anchor to a heading; so do links to this
// repository's own address.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { remark } from 'remark'
import remarkValidateLinks from 'remark-validate-links'
import { engine, type Options } from 'unified-engine'
import { expect, test } from 'vitest'
import { readText, repositoryFiles, root } from './support/repository.js'

const pages = repositoryFiles().filter(
  (path) => path.endsWith('.md') && !/^\.changeset\/|CHANGELOG|\/api\/|\/fixtures\//.test(path),
)

// The engine gives the plugin the set of all files, which its type does not know.
const plugins = [[remarkValidateLinks, { repository: 'modelport/modelport' }]] as Options['plugins']

/**
 * What is wrong with the links of these pages, checked together: anchors are looked for in all of
 * them.
 */
const brokenLinks = (files: readonly string[]): Promise<string[]> =>
  new Promise((resolve, reject) => {
    engine(
      {
        processor: remark(),
        plugins,
        cwd: root,
        files: [...files],
        streamError: new PassThrough(),
        output: false,
      },
      (error, _code, context) => {
        if (error || !context) reject(error ?? new Error('no result'))
        else
          resolve(
            context.files.flatMap(({ path, messages }) =>
              messages.map(({ line, reason }) => `${path}:${line ?? 0} ${reason}`),
            ),
          )
      },
    )
  })

test('all links of all pages lead somewhere', async () => {
  expect(pages).toEqual(
    expect.arrayContaining(['README.md', 'docs/contract.md', 'packages/core/README.md']),
  )
  expect(await brokenLinks(pages)).toEqual([])
})

test('a link that leads nowhere is found', async () => {
  const page = '.cache/links/page.md'
  mkdirSync(join(root, '.cache/links'), { recursive: true })
  writeFileSync(
    join(root, page),
    '# A\n\n[a](#a) [b](#b) [c](../no-such-page.md) [d](../../README.md#no-such-heading)\n',
  )
  expect(await brokenLinks([page, 'README.md'])).toHaveLength(3)
})

test.each(['evidence/port-notes.md', 'SECURITY.md'])(
  '%s names rules and files that exist',
  (page) => {
    const text = readText(page)
    const rules = [...readText('docs/contract.md').matchAll(/^\| ([A-Z]\d+) \|/gm)].map(
      ([, rule]) => rule,
    )
    const named = [...text.matchAll(/\b([RLDSFKEQ]\d{1,2})\b/g)].map(([, rule]) => rule)
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((rule) => !rules.includes(rule))).toEqual([])
    const paths = [...text.matchAll(/`((?:packages|test|scripts|\.github)\/[\w./-]+)`/g)].map(
      ([, path = '']) => path,
    )
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
  },
)
