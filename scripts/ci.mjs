// The tests and the checks next to and after them; with --release those that only a release must
// pass too; with --only NAME the steps named. Two at a time: a third suite of tests makes all of
// them slower on two cores. A step waits for the steps it needs; every step runs. Each leaves a
// line "passed failed name" in MODELPORT_RESULTS, where .ci/run adds them up.
import { execFileSync, spawn } from 'node:child_process'
import { appendFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { programs } from './programs.mjs'
import { discoverWorkspaces, root } from './workspaces.ts'

const results = (process.env.MODELPORT_RESULTS ??= mkdtempSync(join(tmpdir(), 'modelport-ci-')))

const { values: options } = parseArgs({
  options: { release: { type: 'boolean' }, only: { type: 'string', multiple: true } },
})
const limitMs = (options.release ? 60 : 20) * 60_000 // a step that takes longer hangs
const bench = discoverWorkspaces().find(({ path }) => path === 'bench')

/** .ci/run may still install the browser, and says so by a file. */
const whenInstalled = `while [ -e ${results}/browser-comes ]; do sleep 1; done;`

/** Another third of the agents' tests on a database at each commit: all of them in three. */
const shardOf = (shards) => {
  const commits = execFileSync('git', ['rev-list', '--count', 'HEAD'], { cwd: root })
  return `${(Number(commits) % shards) + 1}/${shards}`
}

const everyChange = [
  { name: 'test', command: programs.test, tests: true },
  // Next to the tests: what only reads the sources.
  { name: 'lint', command: 'pnpm run lint' },
  { name: 'typecheck', command: 'pnpm run typecheck' },
  { name: 'commit subjects', command: 'node scripts/check-commits.mjs' },
  { name: 'knip', command: 'pnpm run knip' },
  { name: 'size', command: 'pnpm run check:size' },
  { name: 'licences and advisories', command: 'pnpm run check:dependencies' },
  { name: 'documentation', command: 'pnpm run site' },
  {
    name: 'tests of durable on PostgreSQL',
    command: 'MODELPORT_REPORT=durable node scripts/test.mjs durable-on-postgres',
    needs: 'test',
    tests: true,
  },
  // of the tests that have been: nothing is run again
  {
    name: 'faults',
    command: `node scripts/faults.mjs --report ${results}`,
    needs: 'tests of durable on PostgreSQL',
  },
  {
    name: 'build',
    command: 'node scripts/build.mjs',
    needs: 'test',
  },
  // A browser is several processes that compute: more than two at a time wait for each other.
  {
    name: 'tests in Chromium',
    command: `${whenInstalled} MODELPORT_REPORT=chromium node scripts/test.mjs browser --maxWorkers=2`,
    needs: 'test',
    tests: true,
  },
  {
    name: 'tests of agents on databases',
    command: `MODELPORT_REPORT=databases node scripts/test.mjs agent-on-sqlite agent-on-postgres --shard=${shardOf(3)}`,
    needs: 'test',
    tests: true,
  },
  {
    name: 'publint and attw',
    command: `node scripts/check-packages.mjs --into ${results}/tarballs`,
    needs: 'build',
  },
  { name: 'API reports', command: 'pnpm run api:check', needs: 'build' },
  { name: 'release, dry', command: 'pnpm run release:dry --quick', needs: 'build' },
  // of the tarballs that are packed by then
  {
    name: 'trial',
    command: `pnpm run trial --packed ${results}/tarballs`,
    needs: 'publint and attw',
  },
  // A few of the histories in a file and on PostgreSQL; `--most` plays more of them.
  {
    name: 'histories on databases',
    needs: 'test',
    command:
      'pnpm run durable histories --on file --most 4 && pnpm run durable histories --on postgres --most 6',
  },
  // Kills for half a minute on each database; `pnpm run durable kill` continues for as long as one
  // likes.
  {
    name: 'killing test',
    needs: 'test',
    command:
      'pnpm run durable kill --minutes 0.5 --kills 1000 --workers 2 --jobs 8 --backlog 50 --poisoned 1',
  },
  // The contract in each runtime; the tests of core and driver, and each byte, before a release.
  {
    name: 'runtimes',
    command: 'node scripts/runtimes.mjs --quick node-26 deno bun',
    needs: 'test',
    tests: true,
  },
  {
    name: 'browser and worker',
    command: `${whenInstalled} node scripts/runtimes.mjs --quick chromium workerd`,
    needs: 'test',
    tests: true,
  },
  ...(bench?.manifest.scripts?.smoke
    ? [{ name: 'bench smoke', command: 'pnpm --filter @modelport/bench run smoke', needs: 'build' }]
    : []),
]
const beforeRelease = [
  {
    name: 'other versions of Node',
    command: 'node scripts/runtimes.mjs --full node-22 node-26',
    tests: true,
  },
  { name: 'deno in full', command: 'node scripts/runtimes.mjs --full deno', tests: true },
  { name: 'bun in full', command: 'node scripts/runtimes.mjs --full bun', tests: true },
  {
    name: 'browser and worker in full',
    command: 'node scripts/runtimes.mjs --full chromium workerd',
    tests: true,
  },
  { name: 'release, dry, in full', command: 'pnpm run build && pnpm run release:dry' },
  { name: 'soak, short', command: `${programs.soak} --short` },
  { name: 'attack in full', command: programs.attack },
  { name: 'tests in full', command: programs['test:full'] },
]
const steps = (options.release ? beforeRelease : everyChange).filter(
  ({ name }) => options.only?.includes(name) ?? true,
)

/** The sum of `0m1.230s 0m0.450s`, in seconds. */
const processorSeconds = (times) =>
  [...times.matchAll(/(\d+)m([\d.]+)s/g)]
    .reduce((sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds), 0)
    .toFixed(0)

const run = ({ name, command, tests }) =>
  new Promise((resolve) => {
    const start = performance.now()
    let output = ''
    // The shell knows what its children took of the processors, which a loaded machine does not
    // change much; seconds on the clock it does.
    const child = spawn(`${command}\ncode=$?; times >&3; exit $code`, {
      cwd: root,
      shell: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      detached: true,
    })
    const timer = setTimeout(() => {
      output += `\ngiven up after ${limitMs / 1000} s`
      process.kill(-child.pid, 'SIGKILL') // the whole group: the shell and what it started
    }, limitMs)
    let times = ''
    child.stdio[3].on('data', (chunk) => (times += chunk))
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.on('close', (code) => {
      clearTimeout(timer)
      const seconds = ((performance.now() - start) / 1000).toFixed(1)
      console.log(
        `::: ${name}: ${command}\n${output.trimEnd()}\n::: ${name}: exit ${code}, ${seconds} s, ${processorSeconds(times)} s of processors`,
      )
      // A step of tests is counted by its report; a failure counts here too, since it may have left
      // no report.
      if (code !== 0) appendFileSync(join(results, 'steps'), `0 1 ${name}\n`)
      else if (!tests) appendFileSync(join(results, 'steps'), `1 0 ${name}\n`)
      resolve()
    })
  })

const finished = new Set()
const waiting = [...steps]
const worker = async (running) => {
  while (waiting.length > 0) {
    const next = waiting.findIndex(
      ({ needs }) => !needs || finished.has(needs) || !steps.some(({ name }) => name === needs),
    )
    if (next === -1) {
      await Promise.race(running)
      continue
    }
    const [step] = waiting.splice(next, 1)
    const job = run(step).then(() => {
      finished.add(step.name)
      running.delete(job)
    })
    running.add(job)
    await job
  }
}
const running = new Set()
await Promise.all([worker(running), worker(running)])
