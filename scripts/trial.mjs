// Does what a stranger does: installs the packed packages from a registry, with a plain Node in an
// empty folder, and follows the pages. `node scripts/trial.mjs` after a build; `--local` tries the
// model in this process instead; `--only NAME` one part; `--packed FOLDER` takes the tarballs that
// scripts/check-packages.mjs left there. While the packages are not on npm, the
// stranger installs their tarballs, as `npm run pack` says, and the registry has none of them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { printInstallSizes } from './install-size.ts'
import { installLine } from './unpublished/tarballs.mjs'
import { publishedPackages, requireBuild, root } from './workspaces.ts'

// The parts read the pages with the code of the tests, which is TypeScript that imports by the
// names of its output.
await import('../packages/durable/test/support/typescript-hooks.mjs')
const { isPublished } = await import('../packages/factory/src/base/published.ts')
const { startChatServer } = await import('../test/support/chat-server.ts')
const { createDocModel } = await import('../test/support/doc-model.ts')
const { walkAnAgent } = await import('./trial/agents.mjs')
const { startCommands, useCommandLine } = await import('./trial/command-line.mjs')
const { bundleForBrowser, installAlone } = await import('./trial/installs.mjs')
const { packAll } = await import('./trial/pack.mjs')
const { runExamples, serveFromFile, walkPage, walkTranscript } = await import('./trial/pages.mjs')
const { startRegistry } = await import('./trial/registry.mjs')
const { Visitor } = await import('./trial/visitor.mjs')
const { fetchBinary } = await import('./runtimes/launch.mjs')
const { findPostgres, startPostgres } = await import(
  '../packages/durable/test/support/postgres-server.ts'
)

const local = process.argv.includes('--local')
const only = process.argv[process.argv.indexOf('--only') + 1]
const packedBefore = process.argv.includes('--packed')
  ? process.argv[process.argv.indexOf('--packed') + 1]
  : undefined
const wanted = (name) => !process.argv.includes('--only') || name.includes(only)
const temporary = mkdtempSync(join(tmpdir(), 'modelport-trial-'))
const packages = publishedPackages()
const closing = [() => rmSync(temporary, { recursive: true, maxRetries: 5, force: true })]
let failed = 0

/** One part of the trial: a line that says what was done, or what a stranger saw instead. */
async function part(name, work) {
  if (!wanted(name)) return
  const start = performance.now()
  const line = await work().then(
    (text) => `ok     ${name}: ${text}`,
    (error) => {
      failed++
      return `FAILED ${name}: ${error.name === 'Error' ? error.message : error.stack}`
    },
  )
  console.log(`${line} (${((performance.now() - start) / 1000).toFixed(1)} s)`)
}

/** Runs parts two at a time: there are two cores, and most of them wait for npm. */
async function parts(list) {
  const waiting = [...list]
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await part(...next)
  }
  await Promise.all([worker(), worker()])
}

/** A server with a model, that knows nothing of modelport. */
async function startModel(options) {
  const model = createDocModel()
  const server = await startChatServer(model, options)
  closing.push(server.close)
  return { model, address: server.baseUrl }
}

async function main() {
  requireBuild(packages)
  const packed = await packAll(packages, packedBefore ?? temporary, { keep: true })
  await part('pack', async () => {
    const problems = [...packed.values()].flatMap((one) => one.problems)
    if (problems.length > 0) throw new Error(problems.join('\n'))
    return `${packed.size} packages hold what users need, and nothing else`
  })
  const registry = await startRegistry(packed, isPublished)
  closing.push(registry.close)
  const fileOf = ({ shortName }) => packed.get(shortName).file
  const toInstall = (command) =>
    isPublished ? command : installLine(command.split(' ').slice(2), packages, fileOf)
  const visit = (name, node = process.execPath, more = {}) => {
    const settings = { node, registry: registry.url, folder: temporary, name, toInstall, ...more }
    const visitor = new Visitor(settings)
    closing.push(() => visitor.close())
    return visitor
  }
  await (local ? tryLocally(visit) : tryEverything(visit, packed))
  if (registry.passedOn.size > 0)
    console.log(`passed on to npm's registry: ${[...registry.passedOn].join(', ')}`)
}

async function tryEverything(visit, packed) {
  if (wanted('sizes'))
    printInstallSizes(packages, new Map([...packed].map(([name, { file }]) => [name, file])))
  const oldest = fetchBinary('node-22', 'node')
  const page = async (path, node) =>
    walkPage(path, { visitor: visit('page', node), ...(await startModel()) })
  const commandLine = visit('command-line')
  let installed
  const install = () => (installed ??= commandLine.install('npm install --global @modelport/cli'))
  const compatible = ['core', 'driver', 'chat-completions', 'catalog', 'provider-openai-compatible']
  const inNames = (names) => names.map((name) => `@modelport/${name}`)
  await parts([
    ['README', () => page('README.md')],
    [`README on the oldest Node`, async () => oldest.reason ?? page('README.md', oldest.binary)],
    ['docs/guides/first-agent.md', () => page('docs/guides/first-agent.md')],
    ['docs/guides/approvals.md', () => page('docs/guides/approvals.md')],
    [
      'docs/guides/approve-tomorrow.md',
      async () =>
        walkTranscript('docs/guides/approve-tomorrow.md', {
          visitor: visit('page'),
          ...(await startModel()),
        }),
    ],
    ['core alone', () => installAlone(visit('core'), '@modelport/core', ['@modelport/core'])],
    [
      'a provider alone',
      () =>
        installAlone(visit('provider'), '@modelport/provider-openai-compatible', [
          ...inNames(compatible),
          'undici',
        ]),
    ],
    ...packages
      .filter(({ manifest }) => manifest.browser)
      .map((workspace) => [workspace.shortName, () => bundleForBrowser(workspace)]),
    ['examples', () => runExamples(root)],
    [
      'command line',
      async () => {
        await install()
        return startCommands(commandLine, packed.get('cli').manifest)
      },
    ],
  ])
  const { global } = commandLine
  /** A visitor with a folder of their own, and the command line that is installed. */
  const visitWithCommandLine = async (name, programs) => {
    await install()
    return { visitor: visit(name, undefined, { global, programs }), ...(await startModel()) }
  }
  await parts([
    [
      'agent that survives, on PostgreSQL',
      () =>
        onPostgres(async (database, programs) =>
          walkAnAgent({
            ...(await visitWithCommandLine('agent', programs)),
            port: portOf(0),
            database,
          }),
        ),
    ],
    [
      'agent that survives, on SQLite',
      async () => walkAnAgent({ ...(await visitWithCommandLine('agent')), port: portOf(1) }),
    ],
    ['command line, a server without a key', () => useWithoutKey(commandLine)],
    ['command line, a server with a key', () => useWithKey(commandLine)],
    [
      'an agent from a file',
      async () => serveFromFile({ ...(await visitWithCommandLine('file')), port: portOf(2) }),
    ],
  ])
}

/** Ports below those that the system gives to others. */
const portOf = (index) => String(20_000 + ((process.pid * 3 + index) % 12_000))

async function onPostgres(use) {
  const programs = findPostgres()
  if (programs === undefined) return 'skipped: PostgreSQL is not installed'
  const server = await startPostgres(programs)
  closing.push(() => server.stop())
  return use(server.url, programs)
}

const reply = /The air scatters blue light/

async function useWithoutKey(commandLine) {
  const { address } = await startModel()
  const init = `modelport init --provider openai-compatible --base-url ${address} --model my-model`
  return useCommandLine(commandLine, { init, reply })
}

async function useWithKey(commandLine) {
  const key = 'sk-trial-0123456789'
  const { address } = await startModel({ apiKey: key })
  const init = `modelport init --provider openai-compatible --base-url ${address} --model my-model --key-stdin --config keyed.yaml`
  const env = { MODELPORT_CONFIG: join(commandLine.folder, 'keyed.yaml') }
  return useCommandLine(commandLine, { init, input: key, reply, env })
}

/**
 * The model in this process: its own command, since its package is ten times as large as all
 * others.
 */
async function tryLocally(visit) {
  const visitor = visit('local')
  const file = fileURLToPath(
    new URL('../packages/provider-llamacpp/test/fixtures/tinytool.gguf', import.meta.url),
  )
  await part('install', async () => {
    await visitor.install('npm install --global @modelport/cli @modelport/provider-llamacpp')
    return 'the command line with the model in this process'
  })
  await part('command line, a model in this process', () =>
    useCommandLine(visitor, {
      init: `modelport init --provider llamacpp --model ${file}`,
      reply: /\w/,
    }),
  )
}

const start = performance.now()
try {
  await main()
} catch (error) {
  failed++
  console.log(`FAILED ${error.stack}`)
} finally {
  for (const close of closing.reverse()) await close()
}
console.log(
  `${failed === 0 ? 'The trial works' : `${failed} parts of the trial failed`}: ${((performance.now() - start) / 1000).toFixed(0)} s`,
)
process.exit(failed === 0 ? 0 : 1)
