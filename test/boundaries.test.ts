import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ESLint } from 'eslint'
import { describe, expect, test } from 'vitest'
import { folderTables } from '../scripts/folder-tables.ts'
import {
  type Boundary,
  boundaries,
  folderOrders,
  foreignExceptions,
  foreignNames,
  vendorNames,
  vendorNeutral,
} from '../scripts/lint/boundaries.ts'
import { discoverWorkspaces } from '../scripts/workspaces.ts'
import { root } from './support/repository.js'

const eslint = new ESLint({ cwd: root })
/** Our own rules, as they are set for each file; the others take most of the time of a lint. */
const ownRules = new ESLint({
  cwd: root,
  ruleFilter: ({ ruleId }) => ruleId.startsWith('modelport/'),
})

async function rulesBroken(path: string, code: string, linter = eslint): Promise<string[]> {
  const [result] = await linter.lintText(code, { filePath: join(root, path) })
  return result!.messages.map(({ ruleId, message }) => ruleId ?? message)
}

/** What each of these pieces breaks, found by one lint of a file with all of them. */
async function brokenByEach(
  path: string,
  pieces: readonly string[],
  linter = eslint,
): Promise<string[][]> {
  const [result] = await linter.lintText(pieces.join(''), { filePath: join(root, path) })
  expect(result!.messages.filter(({ fatal }) => fatal)).toEqual([])
  let end = 0
  return pieces.map((piece) => {
    const start = end
    end += piece.split('\n').length - 1
    const own = result!.messages.filter(({ line }) => line > start && line <= end)
    return own.map(({ ruleId, message }) => ruleId ?? message)
  })
}

const fileOf = ({ package: name, file }: Boundary) =>
  `packages/${name}/src/${file?.replace('*', '') ?? 'planted.ts'}`

const waysToImport: Record<string, (specifier: string) => string> = {
  'static import': (specifier) => `import { planted } from '${specifier}'\nplanted()\n`,
  'bare import': (specifier) => `import '${specifier}'\n`,
  'type import': (specifier) =>
    `import type { Planted } from '${specifier}'\nlet planted: Planted\n`,
  're-export': (specifier) => `export { planted } from '${specifier}'\n`,
  'star re-export': (specifier) => `export * from '${specifier}'\n`,
  'dynamic import': (specifier) => `void import('${specifier}')\n`,
  'import type': (specifier) => `let planted: import('${specifier}').Planted\n`,
  require: (specifier) => `require('${specifier}')\n`,
}

describe.each(
  boundaries.map((row) => [row.file ? `${row.package}/${row.file}` : row.package, row] as const),
)('imports of %s', (_title, row) => {
  test.each(row.forbidden)(
    'the rule of imports refuses %s, however it is imported',
    async (specifier) => {
      const pieces = Object.values(waysToImport).flatMap((write) => [
        write(specifier),
        write(`${specifier}/inner.js`),
      ])
      for (const [index, broken] of (await brokenByEach(fileOf(row), pieces, ownRules)).entries())
        expect(broken, pieces[index]).toContain('modelport/import-boundary')
    },
  )

  test('the rule of imports refuses a relative path out of the package', async () => {
    const pieces = Object.values(waysToImport).map((write) =>
      write('../../elsewhere/src/planted.js'),
    )
    for (const [index, broken] of (await brokenByEach(fileOf(row), pieces, ownRules)).entries())
      expect(broken, pieces[index]).toContain('modelport/import-boundary')
  })

  test('the rule of imports refuses a computed import unless it is the table of providers', async () => {
    const broken = await rulesBroken(
      fileOf(row),
      'export const planted = (name: string) => import(name)\n',
      ownRules,
    )
    expect(broken.includes('modelport/import-boundary')).toBe(row.computed !== true)
  })

  test('the rule of imports allows what the table gives', async () => {
    const specifiers = [...row.imports, './sibling.js', ...(row.builtins ? ['node:http'] : [])]
    const pieces = specifiers.map(
      (specifier) => `import { planted } from '${specifier}'\nplanted()\n`,
    )
    for (const [index, broken] of (await brokenByEach(fileOf(row), pieces, ownRules)).entries())
      expect(broken, pieces[index]).not.toContain('modelport/import-boundary')
  })
})

test('the provider table may import providers only when asked', async () => {
  const path = 'packages/factory/src/create/load-creators.ts'
  expect(await rulesBroken(path, `void import('@modelport/provider-openai')\n`)).not.toContain(
    'modelport/import-boundary',
  )
  expect(await rulesBroken(path, `import '@modelport/provider-openai'\n`)).toContain(
    'modelport/import-boundary',
  )
})

test('docs/architecture.md shows the folders of each package in their order', () => {
  const { current, expected } = folderTables()
  expect(current, 'node scripts/folder-tables.ts --update').toBe(expected)
})

describe.each(Object.entries(folderOrders))('folders of %s', (name, rows) => {
  const [shortName = '', ...inner] = name.split('/')
  const home = ['packages', shortName, 'src', ...inner].join('/')
  const folders = rows.flatMap((row, place) => row.map((folder) => [folder, place] as const))
  const isRefused = async (path: string, code: string) =>
    (await rulesBroken(`${home}/${path}`, code, ownRules)).includes('modelport/folder-order')

  test.each(folders)(
    '%s imports from the rows before its own only, however it imports',
    async (folder, place) => {
      const ways = Object.entries(waysToImport).filter(([way]) => way !== 'require')
      const cases = folders.flatMap(([other, otherPlace]) =>
        ways.map(([way, write]) => ({
          other,
          way,
          write,
          isAllowed: other === folder || otherPlace < place,
        })),
      )
      const room = folderOrders[`${name}/${folder}`]?.at(-1)?.[0] ?? 'inner'
      for (const [deeper, up] of [
        ['', '../'],
        [`${room}/`, '../../'],
      ]) {
        const pieces = cases.map(({ other, write }) =>
          write(`${up}${other}/${other === folder ? deeper : ''}other.js`),
        )
        const each = await brokenByEach(`${home}/${folder}/${deeper}planted.ts`, pieces, ownRules)
        for (const [index, { other, way, isAllowed }] of cases.entries())
          expect(
            each[index]?.includes('modelport/folder-order'),
            `${folder} → ${deeper}${other}, ${way}`,
          ).toBe(!isAllowed)
      }
    },
  )

  test('no folder imports a file that stands outside of folders, which may import every folder', async () => {
    for (const [folder] of folders) {
      expect(
        await isRefused(
          `${folder}/planted.ts`,
          `import { planted } from '../index.js'\nplanted()\n`,
        ),
      ).toBe(true)
      expect(
        await isRefused('index.ts', `export { planted } from './${folder}/planted.js'\n`),
      ).toBe(false)
    }
  })

  test('a folder without a place in the order is refused', async () => {
    expect(await isRefused('planted/planted.ts', 'export {}\n')).toBe(true)
  })

  test('the order lists the folders that exist, each once', () => {
    const found = readdirSync(join(root, home), { withFileTypes: true })
    const names = found.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
    expect(folders.map(([folder]) => folder).sort()).toEqual(names.sort())
  })
})

describe('every package', () => {
  const packages = discoverWorkspaces().filter(({ path }) => path.startsWith('packages/'))

  test.each(packages.map(({ shortName, manifest }) => [shortName, manifest] as const))(
    '%s has a row, and a manifest that fits it',
    (name, manifest) => {
      const rows = boundaries.filter((row) => row.package === name)
      expect(rows, 'a row in scripts/lint/boundaries.ts').not.toEqual([])
      const imports = rows.flatMap((row) => row.imports)
      for (const dependency of Object.keys(manifest.dependencies ?? {})) {
        if (name !== 'cli') expect(imports, 'dependency not in the table').toContain(dependency)
      }
    },
  )

  // `turbo run build`, and with it `npm run pack`, refuses a circle.
  test('packages can be built one after another, in the order of their manifests', () => {
    const left = new Map(
      discoverWorkspaces().map(({ name, manifest }) => [
        name,
        Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }),
      ]),
    )
    const isReady = ([, needed]: readonly [string, readonly string[]]): boolean =>
      !needed.some((name) => left.has(name))
    for (let ready = [...left].filter(isReady); ready.length; ready = [...left].filter(isReady))
      for (const [name] of ready) left.delete(name)

    expect([...left.keys()]).toEqual([])
  })

  test('rows of single files name files that exist, once the package has sources', () => {
    for (const { package: name, file } of boundaries) {
      const src = join(root, 'packages', name, 'src')
      if (!file || !existsSync(src) || readdirSync(src).length < 3) continue
      const [start = '', end = ''] = file.split('*')
      const found = readdirSync(src, { recursive: true, encoding: 'utf8' }).some(
        (path) => path.split(/[\\/]/).at(-1)!.startsWith(start) && path.endsWith(end),
      )
      expect(found, `${name}: ${file}`).toBe(true)
    }
  })
})

describe('no vendor is named where vendors are unknown', () => {
  test.each(vendorNeutral)('no vendor is named in %s', async (name) => {
    const pieces = vendorNames.map((vendor) => `if (provider.name === '${vendor}') skip()\n`)
    for (const [index, broken] of (
      await brokenByEach(`packages/${name}/src/planted.ts`, pieces, ownRules)
    ).entries())
      expect(broken, pieces[index]).toContain('modelport/no-vendor-name')
    expect(
      await rulesBroken(`packages/${name}/src/planted.ts`, `const provider = 'any'\n`, ownRules),
    ).not.toContain('modelport/no-vendor-name')
  })
})

test('no other system is named outside compat, but in files that are listed with a reason', async () => {
  const rule = 'modelport/no-foreign-name'
  for (const { path, shortName } of discoverWorkspaces()) {
    if (!path.startsWith('packages/')) continue
    const pieces = foreignNames.map((system) => `// As ${system} has it.\n`)
    for (const [index, broken] of (
      await brokenByEach(`${path}/src/planted.ts`, pieces, ownRules)
    ).entries())
      expect(broken.includes(rule), `${shortName}: ${pieces[index]}`).toBe(shortName !== 'compat')
    expect(
      await rulesBroken(`${path}/src/planted.ts`, `const top_k = loop_count\n`, ownRules),
    ).not.toContain(rule)
  }
  for (const { where: file } of foreignExceptions)
    expect(readFileSync(join(root, file), 'utf8'), file).toMatch(
      new RegExp(foreignNames.join('|'), 'i'),
    )
})

describe('other rules of sources bite', () => {
  const anywhere = 'packages/core/src/planted.ts'
  const provider = 'packages/provider-openai/src/planted.ts'
  const factory = 'packages/factory/src/planted.ts'
  const tested = 'packages/core/test/planted.test.ts'
  const component = 'packages/studio/src/page/planted.tsx'
  const long = (lines: number) => 'step()\n'.repeat(lines)
  const uncounted = (lines: number) => '// line\n\n'.repeat(lines)
  const longFunction = (lines: number) =>
    `/** Planted. */\nexport function planted(): void {\n${'  step()\n'.repeat(lines)}}\n`
  const planted: [what: string, rule: string, path: string, code: string][] = [
    ['default export', 'no-restricted-syntax', anywhere, 'export default 1\n'],
    ['export *', 'no-restricted-syntax', anywhere, `export * from './error.js'\n`],
    [
      'double assertion',
      'no-restricted-syntax',
      anywhere,
      'planted = value as unknown as string\n',
    ],
    ['console', 'no-console', anywhere, 'console.log(1)\n'],
    [
      'undocumented function',
      'jsdoc/require-jsdoc',
      anywhere,
      'export function planted(): void {}\n',
    ],
    ['undocumented constant', 'jsdoc/require-jsdoc', anywhere, 'export const planted = 1\n'],
    [
      'undocumented arrow',
      'jsdoc/require-jsdoc',
      anywhere,
      'export const planted = (): number => 1\n',
    ],
    ['undocumented type', 'jsdoc/require-jsdoc', anywhere, 'export type Planted = string\n'],
    [
      'undocumented interface',
      'jsdoc/require-jsdoc',
      anywhere,
      'export interface Planted { field: string }\n',
    ],
    ['undocumented class', 'jsdoc/require-jsdoc', anywhere, 'export class Planted {}\n'],
    ...[
      anywhere,
      tested,
      'test/support/planted.ts',
      'scripts/planted.mjs',
      'examples/planted/src/main.ts',
    ].map((path) => {
      const lines = path.startsWith('packages/core/src') ? 401 : 801
      return [`refuses a file of ${lines} lines: ${path}`, 'max-lines', path, long(lines)] as [
        string,
        string,
        string,
        string,
      ]
    }),
    ['function of 81 lines', 'max-lines-per-function', anywhere, longFunction(79)],
    ['component of 111 lines', 'max-lines-per-function', component, longFunction(109)],
    ['camelCase file', 'modelport/file-name', 'packages/core/src/plantedFile.ts', '\n'],
    ...['utils', 'helpers', 'common', 'misc'].map(
      (name) =>
        [`file ${name}.ts`, 'modelport/file-name', `packages/core/src/${name}.ts`, '\n'] as [
          string,
          string,
          string,
          string,
        ],
    ),
    [
      'the whole state of a run',
      'no-restricted-imports',
      'packages/runtime/src/loop/model/planted.ts',
      `import type { RunState } from '../state/run-state.js'\nexport const planted = (run: RunState): RunState => run\n`,
    ],
    ['environment', 'no-restricted-syntax', factory, 'const key = process.env.KEY\n'],
    ['environment, taken apart', 'no-restricted-syntax', factory, 'const { env } = process\n'],
    [
      'environment through globalThis',
      'no-restricted-syntax',
      factory,
      'const key = globalThis.process.env.KEY\n',
    ],
    ['environment of Deno', 'no-restricted-syntax', factory, `const key = Deno.env.get('KEY')\n`],
    ['process in core', 'no-restricted-globals', anywhere, 'process.exit()\n'],
    [
      'Buffer in driver',
      'no-restricted-globals',
      'packages/driver/src/planted.ts',
      'Buffer.from(text)\n',
    ],
    ...['fetch', 'AbortController', 'TextDecoder'].map(
      (name) =>
        [`global ${name}`, 'no-restricted-globals', provider, `${name}()\n`] as [
          string,
          string,
          string,
          string,
        ],
    ),
    ['timer in a provider', 'no-restricted-globals', provider, 'setTimeout(run, 1)\n'],
    ['fetch through globalThis', 'no-restricted-syntax', provider, 'globalThis.fetch(url)\n'],
    ...[
      'expect(performance.now() - start).toBeLessThan(100)',
      'const took = Date.now() - start\nexpect(took).toBeLessThan(100)',
      'const time = () => {\n  const start = performance.now()\n  work()\n  return performance.now() - start\n}\nexpect(Math.min(time(), time())).toBeLessThan(100)',
      'function time() {\n  return performance.now() - start\n}\nconst took = [time(), time()]\nexpect(took[0]).toBeLessThan(took[1] * 4)',
      'let best = Infinity\nbest = Math.min(best, performance.now() - start)\nexpect(best / 2).toBeLessThan(100)',
      'const before = process.memoryUsage().rss\nexpect(process.memoryUsage().rss - before).toBeLessThan(100)',
      'expect(new Date().getTime() - start).toBe(0)',
    ].map(
      (code, index) =>
        [
          `a machine's number in a test, ${index + 1}`,
          'modelport/no-time-assertion',
          tested,
          `${code}\n`,
        ] as [string, string, string, string],
    ),
    [
      'loop over the wire',
      'no-restricted-syntax',
      provider,
      'async function read() { for await (const chunk of body) push(chunk) }\n',
    ],
  ]
  test.each(planted)('a rule of sources finds this: %s', async (_what, rule, path, code) => {
    expect(await rulesBroken(path, code)).toContain(rule)
  })

  const squeezed = [
    'const planted = { ...{ a: 1, b: 2 }, c: 3 }',
    'const planted = [...[1, 2], 3]',
    'const [one, other] = [1, 2]',
    `const planted = 'a b c'.split(' ')`,
    'const planted = `a b c`.split(/ /)',
  ]
  const places = [
    anywhere,
    provider,
    'packages/provider-mock/src/planted.ts',
    'packages/factory/src/base/env.ts',
    'scripts/planted.mjs',
    'examples/planted/src/main.ts',
    'bench/src/planted.ts',
    'test/support/planted.ts',
  ]
  test.each(places)('squeezed code is refused in %s', async (path) => {
    const pieces = squeezed.map((code) => `{ ${code}\nplanted() }\n`)
    for (const [index, broken] of (await brokenByEach(path, pieces)).entries())
      expect(broken, pieces[index]).toContain('no-restricted-syntax')
  })

  test('a literal that is spread into the attributes of a component is refused', async () => {
    const code = 'const planted = <Planted {...{ a: 1, b: 2 }} />\n'
    expect(await rulesBroken(component, code)).toContain('no-restricted-syntax')
  })

  test('a spread value, a swap and the split of a value are accepted', async () => {
    const code =
      'const planted = { ...(isSet && { a: 1 }), ...given }\n;[a[0], a[1]] = [a[1], a[0]]\nconst [one] = text.split(" ")\n'
    expect(await rulesBroken(anywhere, code)).not.toContain('no-restricted-syntax')
  })

  test('a comment of more than 100 columns is refused unless it is an address', async () => {
    const rule = '@stylistic/max-len'
    const words = 'word '.repeat(25)
    expect(await rulesBroken(anywhere, `// ${words}\n`)).toContain(rule)
    expect(await rulesBroken(anywhere, `/**\n * ${words}\n */\n`)).toContain(rule)
    expect(await rulesBroken(anywhere, `const planted = '${words}'\n`)).not.toContain(rule)
    expect(await rulesBroken(anywhere, `// https://a.example/${'a'.repeat(100)}\n`)).not.toContain(
      rule,
    )
  })

  const allowed: [what: string, rule: string, path: string, code: string][] = [
    ['file of 400 lines', 'max-lines', anywhere, long(400)],
    ['test of 800 lines', 'max-lines', tested, long(800)],
    [
      'file of 400 lines, comments and blank lines',
      'max-lines',
      anywhere,
      long(400) + uncounted(400),
    ],
    ['function of 80 lines', 'max-lines-per-function', anywhere, longFunction(78)],
    ['component of 110 lines', 'max-lines-per-function', component, longFunction(108)],
    [
      'environment in env.ts',
      'no-restricted-syntax',
      'packages/factory/src/base/env.ts',
      'const key = process.env.KEY\n',
    ],
    [
      'documented function',
      'jsdoc/require-jsdoc',
      anywhere,
      '/** Planted. */\nexport function planted(): void {}\n',
    ],
    [
      'private function without comment',
      'jsdoc/require-jsdoc',
      anywhere,
      'function planted(): void {}\nplanted()\n',
    ],
    [
      'time that is only printed',
      'modelport/no-time-assertion',
      tested,
      'const start = performance.now()\nexpect(work()).toBe(1)\nconsole.log(performance.now() - start)\n',
    ],
    [
      'a clock handed in',
      'modelport/no-time-assertion',
      tested,
      'const made = create({ now: () => performance.now() })\nexpect(made.text).toBe("a")\n',
    ],
    ['abort signal as a type', 'no-restricted-globals', provider, 'let planted: AbortSignal\n'],
  ]
  test.each(allowed)('the rule accepts %s', async (_what, rule, path, code) => {
    expect(await rulesBroken(path, code)).not.toContain(rule)
  })
})

describe('patterns that take quadratic time', () => {
  const places = ['provider-openai', 'chat-completions', 'driver', 'factory']
  const isRefused = async (code: string, name = 'driver') =>
    (await rulesBroken(`packages/${name}/src/planted.ts`, code)).includes(
      'modelport/linear-pattern',
    )

  test.each(places)(
    'patterns that take quadratic time are refused in the sources of %s',
    async (name) => {
      expect(await isRefused(`export const planted = /model '.*' not found/\n`, name)).toBe(true)
    },
  )

  test.each([
    ['two repetitions of overlapping sets', String.raw`/^\d+[a-z0-9]*x/`],
    ['a separator that both repetitions match', String.raw`/^\s*\n\s*x/`],
    ['a repetition inside a repetition', '/^(a+)+$/'],
    ['an optional separator', String.raw`/^(\w+,?)*$/`],
    ['two repetitions inside a lookahead', '/^(?!.*a.*b)x/'],
    ['a repetition of at least 20', '/[a-z]{20,}!/'],
    ['one repetition that is tried at every position', String.raw`/\s*\]/`],
    ['a pattern given to RegExp as text', `new RegExp('a*a*b')`],
    ['flags that make two sets overlap', '/^[a-z]*[A-Z]*1/i'],
  ])('patterns that take quadratic time are refused: %s', async (_title, pattern) => {
    expect(await isRefused(`export const planted = ${pattern}\n`)).toBe(true)
  })

  test.each([
    ['an anchored repetition', String.raw`/^\s*[[{]/`],
    ['a separator that a repetition excludes', String.raw`/^[^:]*: \d+ [a-z-]+:/`],
    ['disjoint sets', '/^[a-z]*[0-9]*x/'],
    ['the same sets without the flag that joins them', '/^[a-z]*[A-Z]*1/'],
    ['a repetition at the end, which cannot fail', '/[a-z]{20,}/'],
    ['a start that a lookbehind fixes', String.raw`/(?<!\s)\s*\]/`],
    ['alternatives of disjoint characters in a repetition', String.raw`/^"(?:[^"\\]|\\.)*"/`],
    ['repeated groups that begin with a separator', '/^data:[^;,]+(;[^;,]+)*;base64,/'],
    ['a sticky pattern', String.raw`/\d+x/y`],
    ['bounded repetitions', '/[a-z]{1,20}[a-z]{1,20}!/'],
  ])('linear patterns are accepted: %s', async (_title, pattern) => {
    expect(await isRefused(`export const planted = ${pattern}\n`)).toBe(false)
  })
})
