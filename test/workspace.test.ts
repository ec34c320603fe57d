import { execSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { discoverWorkspaces } from '../scripts/workspaces.ts'
import { longFiles } from './support/long-files.js'
import { readJson, readText, repositoryFiles, root } from './support/repository.js'

const workspaces = discoverWorkspaces()
const packages = workspaces.filter(({ path }) => path.startsWith('packages/'))
const referencesOf = (path: string): string[] =>
  ((readJson(path).references ?? []) as { path: string }[]).map((reference) =>
    reference.path.replace(/^\.\//, ''),
  )

describe('no list misses a package', () => {
  test('tsconfig.json references tsconfig.test.json, whose list is written', () => {
    expect(referencesOf('tsconfig.json')).toEqual(['tsconfig.test.json'])
  })

  test('the files that begin first are tests of this repository, each once', () => {
    const tests = new Set(repositoryFiles().filter((path) => path.endsWith('.test.ts')))
    expect(longFiles.filter((path) => !tests.has(path))).toEqual([])
    expect(new Set(longFiles).size).toBe(longFiles.length)
  })

  test('every export of a package type-checks from its source', () => {
    const paths = readJson('tsconfig.base.json').compilerOptions.paths as Record<string, string[]>
    for (const { path, entries } of packages) {
      for (const { specifier, source } of entries) {
        const main = specifier === `@modelport/${path.replace('packages/', '')}`
        const mapped = main
          ? paths['@modelport/*']!.map((target) =>
              target.replace('*', path.replace('packages/', '')),
            )
          : paths[specifier]
        expect(mapped, `paths of tsconfig.base.json: ${specifier}`).toEqual([`./${path}/${source}`])
        expect(existsSync(join(root, path, source)), source).toBe(true)
      }
    }
  })

  test('every package that was never released is in a changeset', () => {
    const changesets = readdirSync(join(root, '.changeset'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => readText(`.changeset/${name}`))
      .join('\n')
    for (const { name, manifest, isPrivate } of packages) {
      if (!isPrivate && manifest['version'] === '0.0.0') expect(changesets).toContain(`'${name}':`)
    }
  })

  test('the folder of a package is its name', () => {
    for (const { path, shortName } of packages) expect(path).toBe(`packages/${shortName}`)
  })
})

describe.each(packages.filter(({ isPrivate }) => !isPrivate).map(({ path }) => path))(
  'manifest of %s',
  (path) => {
    const manifest = readJson(`${path}/package.json`)

    test('the manifest publishes ES modules, types and nothing else', () => {
      expect(manifest).toMatchObject({
        license: 'MIT',
        type: 'module',
        // An import of this entry is all that a program says to be shown.
        sideEffects: path === 'packages/studio' ? ['./dist/attach.js', './src/attach.ts'] : false,
        publishConfig: { access: 'public' },
        repository: {
          type: 'git',
          url: 'git+https://github.com/modelport/modelport.git',
          directory: path,
        },
      })
      expect(manifest.description).toBeTruthy()
      expect(manifest.engines.node).toBe('>=22.19')
      expect(manifest.files).toContain('dist')
      for (const target of Object.values(manifest.exports as Record<string, object | string>)) {
        if (typeof target === 'string') expect(target).toBe('./package.json')
        else expect(Object.keys(target)).toEqual(['types', 'default'])
      }
    })

    test('the manifest has the scripts that the checks call, and none that runs at install', () => {
      expect(manifest.scripts.build).toBe('tsup')
      expect(manifest.scripts.prepack).toBe('node ../../scripts/teach.mjs package')
      for (const script of ['preinstall', 'install', 'postinstall', 'prepare'])
        expect(manifest.scripts[script]).toBeUndefined()
    })
  },
)

test('core has no dependencies', () => {
  const {
    dependencies = {},
    peerDependencies = {},
    optionalDependencies = {},
  } = readJson('packages/core/package.json')
  expect({ ...dependencies, ...peerDependencies, ...optionalDependencies }).toEqual({})
})

describe('the files of the repository', () => {
  // Written in pieces, so that this file does not hold what it looks for.
  const configured = execSync('npm config get registry', {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
  const host = URL.canParse(configured) ? new URL(configured).host : ''
  const banned = [
    ['registry', 'npmjs'].join('.'),
    ['', 'work', ''].join('/'),
    ...(host ? [host] : []),
  ]

  test.each(banned)('the files of the repository do not hold %s', (text) => {
    const found = repositoryFiles().filter((path) => readFileSync(join(root, path)).includes(text))
    expect(found).toEqual([])
  })

  const shallow = root.split('/').length < 4
  if (shallow)
    console.log('skipped: the path of this checkout is no longer than words that pages may hold')
  test.skipIf(shallow)('the files of the repository do not hold the path of this checkout', () => {
    const found = repositoryFiles().filter((path) => readFileSync(join(root, path)).includes(root))
    expect(found).toEqual([])
  })
})
