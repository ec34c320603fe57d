// The day of a release, rehearsed from a clean clone of the last commit; nothing is published.
// The flag that the packages are on npm is turned on, and the pages follow it; what would be
// published is packed, and a stranger installs it, as if from npm, on Node 22 and 24, Bun, Deno,
// in a worker and in a browser. Then the flag is turned off, and no file differs.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installLine } from './unpublished/tarballs.mjs'
import { publishedPackages, root } from './workspaces.ts'

const temporary = mkdtempSync(join(tmpdir(), 'modelport-rehearsal-'))
const clone = join(temporary, 'clone')
const tarballs = join(temporary, 'tarballs')
const application = join(temporary, 'application')
const results = []

/** Runs commands one after the other, in the clone unless `folder` says where. */
function run(commands, folder = clone) {
  for (const command of commands) {
    console.log(`$ ${command}`)
    const { status, error } = spawnSync(command, { cwd: folder, shell: true, stdio: 'inherit' })
    if (error || status !== 0) throw new Error(`${command}: ${error?.message ?? `exit ${status}`}`)
  }
}

/** One promise of the release: every one is tried, even when one before it was not kept. */
function step(promise, work) {
  console.log(`\n::: ${promise}`)
  const start = performance.now()
  let failure
  try {
    work()
  } catch (error) {
    failure = error
    console.log(error.message)
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(0)
  results.push({ failed: failure !== undefined, line: `${promise} (${seconds} s)` })
}

/** Says in the clone whether the packages are on npm, as its author does on that day. */
function turn(isPublished) {
  const file = join(clone, 'packages/factory/src/base/published.ts')
  const text = readFileSync(file, 'utf8')
  const flag = /(?<=isPublished: boolean = )\w+/
  if (!flag.test(text)) throw new Error(`${file} has no flag`)
  writeFileSync(file, text.replace(flag, String(isPublished)))
  run(['pnpm run notices', 'pnpm run llms'])
}

/** What the kit of `test/runtimes` runs on: itself, and each provider that it asks. */
const installed = [
  '@modelport/conformance',
  ...publishedPackages()
    .filter(({ dir }) => existsSync(join(dir, 'test/api.ts')))
    .map(({ name }) => name),
]

try {
  execFileSync('git', ['clone', '--quiet', root, clone])
  run(['pnpm install --frozen-lockfile --prefer-offline'])

  step('The flag is turned on, and every page follows it.', () => {
    turn(true)
    run([
      'npx vitest run --project workspace test/published.test.ts test/docs-install.test.ts test/readme.test.ts test/teach.test.ts',
    ])
  })
  step('Versions, changelogs, tiers, provenance, SBOMs and two equal builds.', () =>
    run(['node scripts/build.mjs', 'pnpm run release:dry']),
  )
  step('Each tarball holds what users need, and its types resolve.', () =>
    run([`node scripts/check-packages.mjs --into ${tarballs}`]),
  )
  step('A stranger who types what the pages say gets what they say.', () =>
    run([`node scripts/trial.mjs --packed ${tarballs}`]),
  )
  step('The packages pass the kit in each runtime, installed from their tarballs.', () => {
    mkdirSync(application)
    writeFileSync(join(application, 'package.json'), '{ "private": true }')
    const fileOf = ({ shortName }) => join(tarballs, `${shortName}.tgz`)
    run([installLine([...installed, '--no-audit'], publishedPackages(), fileOf)], application)
    run([
      `node scripts/runtimes.mjs --quick --installed ${application} node-22 node-24 bun deno workerd chromium`,
    ])
  })
  step('The flag is turned off, and no file differs.', () => {
    turn(false)
    const options = { cwd: clone, encoding: 'utf8' }
    const different = execFileSync('git', ['status', '--porcelain'], options)
    if (different !== '') throw new Error(`these files differ:\n${different}`)
  })
} finally {
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5 })
}

console.log()
for (const { failed, line } of results) console.log(`${failed ? 'FAILED' : 'ok    '} ${line}`)
const failed = results.filter((one) => one.failed).length
console.log(`${results.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
