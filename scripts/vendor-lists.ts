// What a package of a vendor adds to files outside of its own: `pnpm vendors` writes these lists
// from the packages and the catalog, and test/vendor-lists.test.ts compares them.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Vendor, vendors } from '@modelport/catalog'
import type { ProviderRow } from '@modelport/factory/static'
import { creatorsOf } from './creators.ts'
import { discoverWorkspaces, root, type Workspace } from './workspaces.ts'

/** A file of the repository with what a command writes into it. */
interface WrittenFile {
  readonly path: string
  readonly current: string
  readonly expected: string
}

const packages = discoverWorkspaces().filter(({ path }) => path.startsWith('packages/'))
const providers = packages.filter(({ shortName }) => shortName.startsWith('provider-'))

const read = (path: string): string =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : ''

const whole = (path: string, expected: string): WrittenFile => ({
  path,
  current: read(path),
  expected,
})

/** A file of which only the matches of a pattern are written. */
function part(path: string, pattern: RegExp, written: string): WrittenFile {
  const current = read(path)
  if (!pattern.test(current))
    throw new Error(`${path} has no place for its list: ${pattern.source}`)
  return { path, current, expected: current.replace(pattern, () => written) }
}

const providerNames = providers.map(({ name }) => name)

const entriesOf = <Value>(
  names: readonly string[],
  value: Value,
): Readonly<Record<string, Value>> => Object.fromEntries(names.map((name) => [name, value]))

const constantOf = (name: string): string =>
  name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())

// The packages that each package is compiled after.

const references = (paths: readonly string[]): string => {
  const rows = paths.map((path) => `    {\n      "path": "${path}"\n    }`)
  return rows.length > 0 ? `"references": [\n${rows.join(',\n')}\n  ]` : '"references": []'
}

const referenced = (path: string, paths: readonly string[]): WrittenFile =>
  part(path, /"references": \[[^\]]*\]/, references(paths))

/** The packages of this repository that a manifest depends on, as it will be written. */
const ownNames = ({ manifest, shortName }: Workspace): readonly string[] =>
  Object.keys({
    ...manifest.dependencies,
    ...(shortName === 'factory' ? entriesOf(providerNames, '') : manifest.peerDependencies),
  })
    .filter((name) => name.startsWith('@modelport/'))
    .sort()

/** `tsconfig.json` of a package references what its manifest depends on. */
const configOf = (workspace: Workspace): WrittenFile =>
  referenced(
    `${workspace.path}/tsconfig.json`,
    ownNames(workspace).map((name) => name.replace('@modelport/', '../')),
  )

const testConfig = (): WrittenFile =>
  referenced(
    'tsconfig.test.json',
    packages.map(({ path }) => `./${path}`),
  )

// The factory, which loads each provider package when it is asked for it.

const inOrder = (list: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(list).sort(([one], [other]) => (one < other ? -1 : 1)))

function factoryManifest(): WrittenFile {
  const path = 'packages/factory/package.json'
  const { devDependencies, ...manifest } = JSON.parse(read(path)) as Workspace['manifest']
  const others = Object.entries(devDependencies ?? {}).filter(
    ([name]) => !name.startsWith('@modelport/provider-'),
  )
  const written = {
    ...manifest,
    peerDependencies: entriesOf(providerNames, 'workspace:^'),
    peerDependenciesMeta: entriesOf(providerNames, { optional: true }),
    devDependencies: inOrder({
      ...entriesOf(providerNames, 'workspace:^'),
      ...Object.fromEntries(others),
    }),
  }
  return whole(path, `${JSON.stringify(written, null, 2)}\n`)
}

/** The packages that only one vendor has. Those of several are written by hand in the factory. */
const ofVendors = providers.filter(({ name }) => vendors.some((vendor) => vendor.package === name))

const loaderOf = (workspace: Workspace): string => {
  const { name } = workspace
  const fields = Object.entries(creatorsOf(workspace)).map(
    ([field, creator]) => `      ${field}: loaded.${creator},\n`,
  )
  return `  '${name}': async (fail) => {
    const loaded = await import('${name}').catch(fail)
    return {
${fields.join('')}    }
  },
`
}

const loaders = (): WrittenFile =>
  whole(
    'packages/factory/src/create/vendor-packages.ts',
    `// Written from the packages of vendors: pnpm vendors
import type { ProviderCreators } from '../providers/row.js'

/** Loads the creators of a package. \`fail\` is called with what the import threw. */
export type LoadPackage = (fail: (cause: unknown) => never) => Promise<ProviderCreators>

/**
 * Imports each package by its literal name, so that a bundler sees what may be loaded. Each failure
 * is caught right here, so that a bundler treats a package that is not installed as optional.
 */
export const vendorPackages: Readonly<Record<string, LoadPackage>> = {
${ofVendors.map(loaderOf).join('')}}
`,
  )

// The clouds, each a file.

const cloudFolder = 'packages/factory/src/clouds'

/** Files of the folder that are not a cloud: what each is, and the lists of them. */
const aboutClouds: Readonly<Record<string, readonly string[]>> = {
  cloud: ['CloudQuestion'],
  clouds: ['CloudFields', 'CloudName'],
  'known-clouds': [],
}

const cloudFiles = readdirSync(join(root, cloudFolder))
  .map((file) => file.replace(/\.ts$/, ''))
  .sort()
const cloudNames = cloudFiles.filter((name) => !Object.hasOwn(aboutClouds, name))

/** The types that a file exports. */
const typesOf = (name: string): readonly string[] =>
  [...read(`${cloudFolder}/${name}.ts`).matchAll(/^export (?:interface|type) (\w+)/gm)]
    .map(([, type = '']) => type)
    .sort()

/** The settings of a cloud: the name of their type, and what its comment says. */
function settingsOf(name: string): { readonly type: string; readonly comment: string } {
  const text = read(`${cloudFolder}/${name}.ts`)
  const [, comment, type] = /\/\*\* (.+) \*\/\nexport interface (\w+Settings) /.exec(text) ?? []
  if (comment !== undefined && type !== undefined) return { comment, type }
  throw new Error(`${cloudFolder}/${name}.ts: export an interface NAMESettings with a comment`)
}

const cloudImport = (name: string): string =>
  name === 'cloud'
    ? "import type { Cloud } from './cloud.js'\n"
    : `import { type ${settingsOf(name).type}, ${constantOf(name)} } from './${name}.js'\n`

function cloudField(name: string): string {
  const { type, comment } = settingsOf(name)
  return `  /** ${comment} */\n  readonly ${constantOf(name)}?: ${type} | undefined\n`
}

const knownClouds = (): WrittenFile =>
  whole(
    `${cloudFolder}/known-clouds.ts`,
    `// Written from the files of clouds: pnpm vendors
${[...cloudNames, 'cloud'].sort().map(cloudImport).join('')}
/** The settings of each cloud, as the field of a configuration that has the cloud's name. */
export interface CloudFields {
${cloudNames.map(cloudField).join('')}}

/** Every cloud that is known here. */
export const clouds: Readonly<Record<keyof CloudFields, Cloud>> = {
${cloudNames.map((name) => `  ${constantOf(name)},\n`).join('')}}
`,
  )

/** An entry of the factory exports the types that its configuration names. */
const cloudTypes = (entry: string): WrittenFile =>
  part(
    `packages/factory/src/${entry}.ts`,
    /(?:^export type \{[^}]*\} from '\.\/clouds\/[^']*'\n)+/m,
    cloudFiles
      .map((name) => ({ name, types: aboutClouds[name] ?? typesOf(name) }))
      .filter(({ types }) => types.length > 0)
      .map(({ name, types }) => `export type { ${types.join(', ')} } from './clouds/${name}.js'\n`)
      .join(''),
  )

// The suites, which walk the APIs.

function apiList(): WrittenFile {
  const rows = providers
    .filter(({ path }) => existsSync(join(root, path, 'test/api.ts')))
    .map(({ path, shortName }) => ({
      constant: constantOf(shortName.replace('provider-', '')),
      file: `../${path}/test/api.js`,
    }))
  const imports = rows.map(
    ({ constant, file }) => `import { apis as ${constant} } from '${file}'\n`,
  )
  return whole(
    'test/tested-apis.ts',
    `// Written from the files packages/provider-*/test/api.ts: pnpm vendors
${imports.join('')}import type { TestedApi } from './support/tested-api.js'

/** Every API that is asked over a network. */
export const testedApis: readonly TestedApi[] = [
${rows.map(({ constant }) => `  ...${constant},\n`).join('')}]
`,
  )
}

// The pages that list vendors and packages.

/** A page with what stands between two comments in it, by the name in the first. */
function page(path: string, parts: Readonly<Record<string, string>>): WrittenFile {
  const current = read(path)
  let expected = current
  for (const [name, text] of Object.entries(parts)) {
    const place = new RegExp(
      `(?<=<!-- ${name}: written by pnpm vendors -->\\n)[^]*?(?=<!-- end -->)`,
    )
    if (!place.test(current)) throw new Error(`${path} has no place for ${name}: ${place.source}`)
    expected = expected.replace(place, () => `\n${text}\n\n`)
  }
  return { path, current, expected }
}

/** Words joined by a sign, in lines of at most 100 columns. */
function inLines(words: readonly string[], sign = ' ·'): string {
  const lines: string[] = []
  for (const [index, word] of words.entries()) {
    const text = index < words.length - 1 ? word + sign : word
    const line = lines.at(-1)
    if (line === undefined || line.length + 1 + text.length > 100) lines.push(text)
    else lines.splice(-1, 1, `${line} ${text}`)
  }
  return lines.join('\n')
}

const hasPage = ({ name }: Vendor): boolean => existsSync(join(root, `docs/providers/${name}.md`))

const vendorPages = (): string =>
  inLines(vendors.filter(hasPage).map(({ name, title }) => `[${title}](providers/${name}.md)`))

/** What the manifest of a provider package says that it speaks to; a path is code. */
const spokenTo = ({ manifest }: Workspace): string =>
  String(manifest['description'])
    .replace(/^modelport provider for /, '')
    .replace(/^A /, 'a ')
    .replace(/(?<= )\/[\w/]+/g, '`$&`')

const packageTable = (): string =>
  [
    '| package | what it speaks to |',
    '|---|---|',
    ...providers.map((workspace) => `| \`${workspace.name}\` | ${spokenTo(workspace)} |`),
  ].join('\n')

/** What each tier promises before 1.0. */
const tiers: Readonly<Record<string, string>> = {
  stable: 'we break it only for a defect that cannot be mended otherwise',
  settling: 'a name or an option may still move, with its new place in the changelog',
  young: 'parts may be redesigned, or removed',
}

/** The tier of a package, which is the first word of its README. */
const tierOf = ({ path }: Workspace): string | undefined =>
  /^# .*\n\n\*\*(\w+)\.\*\* /.exec(read(`${path}/README.md`))?.[1]?.toLowerCase()

const tierTable = (): string =>
  [
    '| tier | packages | before 1.0 |',
    '|---|---|---|',
    ...Object.entries(tiers).map(([tier, promise]) => {
      const names = packages.filter((one) => !one.isPrivate && tierOf(one) === tier)
      return `| ${tier} | ${names.map(({ shortName }) => `\`${shortName}\``).join(', ')} | ${promise} |`
    }),
  ].join('\n')

const inCode = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')

const nameList = (rows: readonly ProviderRow[]): string =>
  inLines(
    rows.map(({ name, aliases = [], retired }) => {
      const others = aliases.length > 0 ? ` (${inCode(aliases)})` : ''
      return `\`${name}\`${others}${retired === undefined ? '' : ' (closed by its vendor)'}`
    }),
  )

/** Providers in a cloud, and those whose key is in other variables than `NAME_API_KEY`. */
const keyTable = (rows: readonly ProviderRow[]): string =>
  [
    '| provider | variables |',
    '|---|---|',
    ...rows
      .filter(({ needsKey, keyEnv, cloud }) => needsKey || keyEnv.length > 0 || cloud)
      .map((row) => ({ ...row, usual: `${row.name.toUpperCase().replaceAll('-', '_')}_API_KEY` }))
      .filter(({ keyEnv, usual, cloud }) => cloud !== undefined || keyEnv.join(', ') !== usual)
      .map(({ name, keyEnv, cloud }) => {
        const none = `none: the credentials are those of \`${cloud ?? 'settings'}\``
        return `| ${name} | ${keyEnv.length > 0 ? inCode(keyEnv) : none} |`
      }),
    '| others | `NAME_API_KEY`; `keyVariables(resolveModel(config))` lists them |',
  ].join('\n')

/** Lists that are read from files alone. */
export const sourceLists = (): readonly WrittenFile[] => [
  ...packages.map(configOf),
  testConfig(),
  factoryManifest(),
  loaders(),
  knownClouds(),
  cloudTypes('index'),
  cloudTypes('static'),
  apiList(),
  page('docs/README.md', { vendors: vendorPages(), 'provider packages': packageTable() }),
  page('docs/semver.md', { tiers: tierTable() }),
]

/** Lists that the table of providers says, which loads only once the other lists are right. */
export async function tableLists(): Promise<readonly WrittenFile[]> {
  const { providerRows } = await import('@modelport/factory/static')
  return [
    page('docs/configuration.md', {
      providers: nameList(providerRows),
      keys: keyTable(providerRows),
    }),
  ]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const lists of [sourceLists, tableLists]) {
    for (const { path, current, expected } of await lists()) {
      if (current === expected) continue
      writeFileSync(join(root, path), expected)
      console.log(`wrote ${path}`)
    }
  }
}
