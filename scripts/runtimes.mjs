// Runs the tests of the platform-neutral packages inside Deno and Bun: `node scripts/runtimes.mjs [deno|bun]`.
// Both come from npm into npx's cache, outside this repository. A runtime that cannot be had is skipped with the reason.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runtimePackages } from './runtime-packages.mjs'
import { root } from './workspaces.mjs'

const projects = ['core', 'driver']
const vitest = 'node_modules/vitest/vitest.mjs run'
const runtimes = {
  deno: { package: runtimePackages.deno, command: `deno run -A --node-modules-dir=manual ${vitest}` },
  bun: { package: runtimePackages.bun, command: `bun --bun ${vitest}` },
}
const results = process.env.MODELPORT_RESULTS ?? mkdtempSync(join(tmpdir(), 'modelport-runtimes-'))
const npx = (name, command, options) => spawnSync(`npx -y -p ${name} -c "${command}"`, { cwd: root, shell: true, encoding: 'utf8', ...options })

for (const name of process.argv[2] ? [process.argv[2]] : Object.keys(runtimes)) {
  const runtime = runtimes[name]
  const probe = npx(runtime.package, `${name} --version`, { stdio: 'pipe' })
  if (probe.status !== 0) {
    console.log(`skipped: ${name}: ${`${probe.stderr}${probe.stdout}`.trim().split('\n').slice(-3).join(' ')}`)
    continue
  }
  const report = join(results, `${name}.json`)
  const only = projects.map((project) => `--project ${project}`).join(' ')
  const env = { ...process.env, MODELPORT_RESULTS: results, MODELPORT_RUNTIME: name } // vitest.config.ts: set-up and report
  const { status } = npx(runtime.package, `${runtime.command} ${only}`, { stdio: 'inherit', env })
  const version = probe.stdout.trim().split('\n')[0]
  const { numPassedTests, numFailedTests } = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {}
  console.log(`${name} (${version}): ${numPassedTests ?? 0} passed, ${numFailedTests ?? 0} failed, exit ${status}`)
  if (status !== 0) process.exitCode = 1
}
