// Packs every public package and installs tarballs with plain npm in an empty folder, as a user does.
import { build } from 'esbuild'
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { printInstallSizes } from './install-size.mjs'
import { publishedPackages, requireBuild } from './workspaces.mjs'

const publicPackages = publishedPackages()
const temporary = mkdtempSync(join(tmpdir(), 'modelport-pack-'))
const windows = process.platform === 'win32'
let failed = false
const check = (ok, text) => {
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${text}`)
  failed ||= !ok
}

const run = (command, args, cwd) =>
  new Promise((resolve, reject) => {
    let output = ''
    const child = spawn(command, args, { cwd, shell: windows })
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${command} ${args.join(' ')}: exit ${code}\n${output}`)),
    )
  })

/** Names of all packages in a node_modules folder, nested ones included. */
const installed = (folder) => {
  const modules = join(folder, 'node_modules')
  if (!existsSync(modules)) return []
  return readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`) : [name],
    )
    .flatMap((name) => [name, ...installed(join(modules, name))])
    .sort()
}

const tarballs = new Map()
async function pack({ shortName, dir, entries }) {
  const file = join(temporary, `${shortName}.tgz`)
  await run('pnpm', ['pack', '--out', file], dir)
  tarballs.set(shortName, file)
  const listing = execFileSync('tar', ['-tzf', file], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((path) => path.replace(/^package\//, ''))
  const manifest = execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' })
  const strays = listing.filter((path) => !/^(?:dist\/|package\.json$|README\.md$|LICENSE$)/.test(path))
  check(strays.length === 0, `${shortName}: holds only what users need ${strays.join(' ')}`)
  check(listing.includes('LICENSE'), `${shortName}: has its licence`)
  check(
    entries.every(({ output }) => listing.includes(output)),
    `${shortName}: has its entries`,
  )
  check(!manifest.includes('workspace:'), `${shortName}: depends on versions, not on the workspace`)
}

/** Installs these packages and nothing else; `expected` is what must then be there. */
async function install(title, names, expected, program, forBrowser) {
  const folder = mkdtempSync(join(temporary, 'install-'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'clean', private: true, type: 'module' }))
  await run('npm', ['install', '--no-audit', '--no-fund', ...names.map((name) => tarballs.get(name))], folder)
  const found = installed(folder)
  check(
    JSON.stringify(found) === JSON.stringify([...expected].sort()),
    `${title}: ${found.length} packages: ${found.join(', ')}`,
  )
  writeFileSync(join(folder, 'program.js'), program)
  const output = await run(process.execPath, ['program.js'], folder)
  check(output.trim() === 'works', `${title}: runs`)
  if (forBrowser) await bundleForBrowser(title, folder, forBrowser)
}

/** What needs Node must not reach a browser's bundle. */
async function bundleForBrowser(title, folder, entry) {
  const inputs = await inputsOfBundle(`export * from '${entry}'`, folder)
  check(
    inputs.every((path) => !path.includes('node_modules/undici/')),
    `${title}: bundles for a browser, without undici`,
  )
}

async function inputsOfBundle(contents, resolveDir) {
  // The repository's own paths to sources are not those of an application: they are not read.
  const options = {
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    metafile: true,
    logLevel: 'error',
    tsconfigRaw: {},
  }
  const { metafile } = await build({ stdin: { contents, resolveDir }, ...options })
  return Object.keys(metafile.inputs)
}

/** What a manifest's `browser` replaces must not be in the bundle, nor the SDK that only this imports. */
async function checkBrowserField({ shortName, dir, manifest }) {
  const inputs = await inputsOfBundle("export * from './dist/index.js'", dir)
  const unwanted = inputs.filter(
    (path) =>
      !path.startsWith('(disabled)') &&
      (path.includes('node_modules/') ||
        Object.keys(manifest.browser).some((file) => path.endsWith(`${shortName}${file.slice(1)}`))),
  )
  check(
    inputs.length > 1 && unwanted.length === 0,
    `${shortName}: bundles for a browser without SDK and undici ${unwanted[0] ?? ''}`,
  )
}

/** The package and all packages of this repository that it needs. */
function withDependencies(name, found = new Set()) {
  if (found.has(name)) return found
  found.add(name)
  const { manifest } = publicPackages.find(({ shortName }) => shortName === name)
  for (const dependency of Object.keys(manifest.dependencies ?? {}))
    if (dependency.startsWith('@modelport/')) withDependencies(dependency.slice('@modelport/'.length), found)
  return found
}

/** Installs the command line and starts it: an import that the build spoilt is seen only when the file is loaded. */
async function checkCommandLine() {
  const folder = mkdtempSync(join(temporary, 'command-line-'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'clean', private: true }))
  const names = [...withDependencies('cli')]
  await run('npm', ['install', '--no-audit', '--no-fund', ...names.map((name) => tarballs.get(name))], folder)
  const starts = async (args, expected) => {
    const output = await run(join('node_modules', '.bin', 'modelport'), args, folder).catch(({ message }) => message)
    const works = expected.test(output)
    check(works, `modelport ${args.join(' ')}: ${works ? 'starts' : output}`)
  }
  const { version } = publicPackages.find(({ shortName }) => shortName === 'cli').manifest
  await starts(['--version'], new RegExp(`^${version.replaceAll('.', '\\.')}\\s*$`))
  await starts(['studio', '--help'], /^Usage: modelport studio /m)
  await starts(['agent', '--help'], /^Usage: modelport agent /m)
  // An empty file is an empty store: SQLite must load to write its tables.
  writeFileSync(join(folder, 'tasks.db'), '')
  await starts(['agent', 'tasks', '--store', 'tasks.db', '--json'], /^\{"items":\[\]\}$/m)
  check(
    readFileSync(join(folder, 'tasks.db'), 'latin1').startsWith('SQLite format 3'),
    'modelport agent tasks: opened the store',
  )
}

try {
  requireBuild(publicPackages)
  for (const workspace of publicPackages) await pack(workspace)
  printInstallSizes(publicPackages, tarballs)
  for (const workspace of publicPackages.filter(({ manifest }) => manifest.browser)) await checkBrowserField(workspace)
  await install(
    'core alone',
    ['core'],
    ['@modelport/core'],
    `import { mergeOptions } from '@modelport/core'\nconsole.log(mergeOptions([{ seed: 1 }]) ? 'works' : '')`,
  )
  const compatible = ['core', 'driver', 'chat-completions', 'catalog', 'provider-openai-compatible']
  await install(
    'a provider without SDK',
    compatible,
    [...compatible.map((name) => `@modelport/${name}`), 'undici'],
    `await import('@modelport/provider-openai-compatible')\nconst { createProvider } = await import('@modelport/driver')\nconsole.log(typeof createProvider === 'function' ? 'works' : '')`,
    '@modelport/provider-openai-compatible',
  )
  await checkCommandLine()
} catch (error) {
  check(false, error.message)
} finally {
  rmSync(temporary, { recursive: true, force: true })
}
process.exitCode = failed ? 1 : 0
