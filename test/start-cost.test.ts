import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { testedApis } from './tested-apis.js'

const root = new URL('..', import.meta.url).pathname

/**
 * The packages that importing a file loads, with its own files. Type-only and dynamic imports load
 * nothing.
 */
function loadedBy(
  file: string,
  seen = new Set<string>(),
  packages = new Set<string>(),
): readonly string[] {
  if (seen.has(file)) return []
  seen.add(file)
  const statements = readFileSync(file, 'utf8').matchAll(
    /^(?:import|export) (?!type\b)([\w\s{},*]*?) ?from '([^']+)'/gm,
  )
  for (const [, names = '', specifier = ''] of statements) {
    if (/^\{(\s*type \w+( as \w+)?,?)+\s*\}$/.test(names.trim())) continue
    if (specifier.startsWith('.')) {
      const path = join(dirname(file), specifier.replace(/\.js$/, '.ts'))
      if (existsSync(path)) loadedBy(path, seen, packages)
    } else packages.add(/^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier)
  }
  return [...packages].toSorted()
}

const core = '@modelport/core'

// A vendor's SDK costs 130 to 150 ms of CPU to import, undici 120, jose 36 and YAML 40: what is
// loaded at the first use is not here. zod is a part of the build of the packages that have it
// here.
test.each<readonly [entry: string, packages: readonly string[]]>([
  ['driver/src/index.ts', [core]],
  ['runtime/src/index.ts', ['@cfworker/json-schema', core, '@noble/hashes']],
])('importing %s loads no package but those that are written here', (entry, packages) => {
  expect(loadedBy(join(root, 'packages', entry))).toEqual(packages)
})

test.each(testedApis)(
  'importing the package of $name loads its own dependencies, and of others only what its row names',
  ({ vendor, provider, loads = [] }) => {
    const folder = (vendor.package ?? `@modelport/provider-${provider}`).replace('@modelport/', '')
    const loaded = loadedBy(join(root, `packages/${folder}/src/index.ts`))
    const manifest = readFileSync(join(root, `packages/${folder}/package.json`), 'utf8')
    const { dependencies } = JSON.parse(manifest) as { readonly dependencies: object }

    expect(loaded.filter((name) => !name.startsWith('@modelport/'))).toEqual(loads)
    expect(Object.keys(dependencies)).toEqual(expect.arrayContaining([...loaded]))
  },
)

test('what contains its part of zod does not install the whole, which would load 92 files', () => {
  for (const name of ['runtime', 'dialog', 'factory']) {
    const manifest = JSON.parse(
      readFileSync(join(root, `packages/${name}/package.json`), 'utf8'),
    ) as {
      readonly dependencies: Readonly<Record<string, string>>
      readonly devDependencies: Readonly<Record<string, string>>
    }
    expect('zod' in manifest.dependencies, name).toBe(false)
    expect('zod' in manifest.devDependencies, name).toBe(true)
  }
})
