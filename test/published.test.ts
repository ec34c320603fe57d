// The packages are on npm, or they are not: packages/factory/src/base/published.ts says which, and
// every page that installs says what follows from it.
import { describe, expect, test } from 'vitest'
import { isPublished } from '../packages/factory/src/base/published.js'
import { inForm, noticedPages, readPage } from '../scripts/unpublished/notices.mjs'
import { installLine } from '../scripts/unpublished/tarballs.mjs'
import { publishedPackages } from '../scripts/workspaces.ts'
import { readText } from './support/repository.js'

const packages = publishedPackages()
const fileOf = ({ shortName }: { shortName: string }): string => `/t/${shortName}.tgz`

describe('the first lines of the pages', () => {
  test.each(noticedPages())(
    '%s says whether the packages are on npm: `pnpm notices` writes it',
    (path) => {
      expect(readPage(path)).toBe(inForm(path, readPage(path), isPublished))
    },
  )

  test.each(noticedPages())('%s loses its notice when the packages are published', (path) => {
    const unpublished = inForm(path, readPage(path), false)
    const published = inForm(path, unpublished, true)
    expect(published).not.toContain('Not on npm yet')
    expect(published).not.toContain('npm run pack')
    expect(inForm(path, published, false)).toBe(unpublished)
    const [top = ''] = unpublished.split('\n## ')
    expect(top).toMatch(/^> \*\*Not on npm yet\.\*\*/m)
    expect(top).toContain('npm run pack --')
  })

  test('llms.txt says it as the skill does', () => {
    expect(readText('llms.txt').includes('Not on npm yet')).toBe(!isPublished)
  })

  test('the command that the notices name is a script of the repository', () => {
    expect(JSON.parse(readText('package.json'))).toHaveProperty('scripts.pack')
  })
})

describe('the line that `npm run pack` prints', () => {
  test('the line has the tarballs of what a package needs, options first and others last', () => {
    const words = ['@modelport/provider-openai-compatible', 'zod', '--save-dev']
    expect(installLine(words, packages, fileOf)).toBe(
      'npm install --save-dev /t/provider-openai-compatible.tgz /t/catalog.tgz /t/chat-completions.tgz /t/core.tgz /t/driver.tgz zod',
    )
  })

  test('the line quotes a path with a space', () => {
    const line = installLine(['@modelport/core'], packages, () => '/my files/core.tgz')
    expect(line).toBe('npm install "/my files/core.tgz"')
  })

  test('a package that does not exist is refused, with those that do', () => {
    expect(() => installLine(['@modelport/cores'], packages, fileOf)).toThrow(
      'there is no package @modelport/cores; the packages are @modelport/agent, ',
    )
  })
})
