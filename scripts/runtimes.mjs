// Runs tests where `npm test` does not: `node scripts/runtimes.mjs [--full] [name…]`. In each
// runtime the conformance kit and checks over a real socket; where vitest runs, the tests of core
// and driver too. A runtime that is not available is skipped with the reason. With `--installed
// FOLDER` the kit runs on the packages that are installed there, not on the sources.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { bundleForBrowser, bundlePrograms, installedIn } from '../test/support/bundle.ts'
import { fetchBinary, findChromium, start } from './runtimes/launch.mjs'
import { workerdConfig } from './runtimes/workerd.mjs'
import { root } from './workspaces.ts'

const limitMs = 8 * 60_000
const results = process.env.MODELPORT_RESULTS ?? mkdtempSync(join(tmpdir(), 'modelport-runtimes-'))
const {
  values: { full, quick, installed },
  positionals: chosen,
} = parseArgs({
  allowPositionals: true,
  options: {
    full: { type: 'boolean' },
    quick: { type: 'boolean' },
    installed: { type: 'string' },
  },
})
const packages = installed && resolve(installed)
const flags = full ? ['--full'] : []
const query = full ? '&full' : ''

// `names` what the runtime must call itself; `kit` how it runs the kit; `vitest` how it runs
// vitest.
const runtimes = {
  'node-22': {
    names: /^Node v22\./,
    find: () => fetchBinary('node-22', 'node'),
    kit: runProgram([]),
    vitest: [],
  },
  'node-24': {
    names: /^Node v24\./,
    find: () => fetchBinary('node-24', 'node'),
    kit: runProgram([]),
    vitest: [],
  },
  'node-26': {
    names: /^Node v26\./,
    find: () => fetchBinary('node-26', 'node'),
    kit: runProgram([]),
    vitest: [],
  },
  deno: {
    names: /^Deno /,
    find: () => fetchBinary('deno', 'deno'),
    kit: runProgram(['run', '-A', '--no-config', '--node-modules-dir=manual']),
    vitest: ['run', '-A', '--node-modules-dir=manual'],
  },
  bun: {
    names: /^Bun /,
    find: () => fetchBinary('bun', 'bun'),
    kit: runProgram([]),
    vitest: ['--bun'],
  },
  chromium: { names: /Chrome\//, find: findChromium, kit: runPage },
  workerd: {
    names: /^Cloudflare-Workers$/,
    find: () => fetchBinary('workerd', 'workerd'),
    kit: runWorker,
  },
}

function runProgram(args) {
  return (binary, { folder, host }) =>
    start(binary, [...args, join(folder, 'process.mjs'), host.url, ...flags])
}

function runPage(binary, { folder, host }) {
  const profile = `--user-data-dir=${join(folder, 'profile')}`
  return start(binary, [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--no-first-run',
    profile,
    `${host.url}/?${query}`,
  ])
}

function runWorker(binary, { folder, host }) {
  writeFileSync(join(folder, 'workerd.capnp'), workerdConfig)
  const worker = start(binary, ['serve', join(folder, 'workerd.capnp'), '--control-fd=3'])
  worker.port
    .then((port) => fetch(`http://127.0.0.1:${port}/?host=${encodeURIComponent(host.url)}${query}`))
    .catch(worker.fail)
  return worker
}

/** Runs the kit: the report, or why there is none. */
async function runKit({ kit }, binary, folder) {
  const { startHost } = await import(pathToFileURL(join(folder, 'host.mjs')).href)
  const host = await startHost(folder)
  const running = kit(binary, { folder, host })
  try {
    return await Promise.race([host.report, running.failure, later(limitMs)])
  } finally {
    await running.stop()
    await host.close()
  }
}

const later = (ms) =>
  new Promise(
    (resolve) =>
      void setTimeout(() => resolve({ failure: `no report after ${ms / 1000} s` }), ms).unref(),
  )

/** Prints a report and leaves it, as vitest's are, for .ci/run to count. True when all is well. */
function tell(name, { names }, { runtime, results: tests = [], failure }) {
  const count = (status) => tests.filter((test) => test.status === status).length
  const wrong =
    failure ??
    (names.test(runtime) ? undefined : `these tests were meant for ${name}, but ran in ${runtime}`)
  const [passed, failed, skipped, leftOut] = ['passed', 'failed', 'skipped', 'left out'].map(count)
  for (const { title, error } of tests.filter(({ status }) => status === 'failed'))
    console.log(`FAILED ${title}\n  ${error}`)
  if (wrong) console.log(`FAILED ${name}: ${wrong}`)
  const left =
    leftOut > 0
      ? `; left out ${leftOut} that cut or split answers at every byte, which --full runs`
      : ''
  console.log(
    `${name} (${runtime}): conformance and network: ${passed} passed, ${failed} failed, ${skipped} do not apply${left}`,
  )
  const report = {
    numPassedTests: passed,
    numFailedTests: failed + (wrong ? 1 : 0),
    numPendingTests: skipped + leftOut,
    testResults: [],
  }
  writeFileSync(join(results, `${name}-conformance.json`), JSON.stringify(report))
  return report.numFailedTests === 0 && passed > 0
}

/** The tests of core and driver. True when all is well. */
function runVitest(name, { vitest }, binary) {
  // vitest.config.ts: set-up and report
  const env = { ...process.env, MODELPORT_RESULTS: results, MODELPORT_RUNTIME: name }
  const args = [
    ...vitest,
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    'core',
    '--project',
    'driver',
  ]
  const { status } = spawnSync(binary, args, { cwd: root, stdio: 'inherit', env, timeout: limitMs })
  const report = join(results, `${name}.json`)
  const { numPassedTests, numFailedTests } = existsSync(report)
    ? JSON.parse(readFileSync(report, 'utf8'))
    : {}
  console.log(
    `${name}: core and driver: ${numPassedTests ?? 0} passed, ${numFailedTests ?? 0} failed, exit ${status}`,
  )
  return status === 0
}

// Next to the packages that are installed: a runtime looks for them from there.
const folder = mkdtempSync(join(packages ?? tmpdir(), 'modelport-kit-'))
const ofPackages = packages ? [installedIn(packages)] : []
/** What is bundled, and what its bundler is told. */
const bundled = { page: {}, worker: { conditions: ['workerd', 'worker', 'browser'] } }
const source = (name) => join(root, `test/runtimes/${name}.ts`)
mkdirSync(results, { recursive: true })
try {
  await bundlePrograms(folder, { process: source('process'), host: source('host') }, ofPackages)
  for (const [name, options] of Object.entries(bundled))
    writeFileSync(
      join(folder, `${name}.js`),
      await bundleForBrowser(source(name), options, ofPackages),
    )
  for (const name of chosen.length > 0 ? chosen : Object.keys(runtimes)) {
    const runtime = runtimes[name]
    if (!runtime)
      throw new Error(`no runtime ${name}; there are ${Object.keys(runtimes).join(', ')}`)
    const { binary, reason } = runtime.find()
    if (!binary) {
      console.log(`skipped: ${name}: ${reason}`)
      continue
    }
    const start = performance.now()
    const passed = [
      tell(name, runtime, await runKit(runtime, binary, folder)),
      quick || packages || !runtime.vitest || runVitest(name, runtime, binary),
    ]
    console.log(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s\n`)
    if (passed.includes(false)) process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
