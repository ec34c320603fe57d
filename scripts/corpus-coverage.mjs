// `pnpm corpus:coverage`: what only the large corpus reaches. Decodes the repository's corpus and
// the one that MODELPORT_CORPUS names, and lists lines and branches of decoders, rows of the
// catalog and paths of the wire that only the large one has.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { ownCases } from '../test/support/own-corpus.ts'
import { leavesIn, nameOf, recordsOf } from '../test/support/wire-paths.ts'
import { root } from './workspaces.ts'

const large = process.env.MODELPORT_CORPUS
if (!large) throw new Error('set MODELPORT_CORPUS to the folder of the large corpus')
const apis = ['anthropic-messages', 'gemini', 'ollama-chat', 'openai-chat', 'openai-responses']
const sources = [
  'provider-anthropic',
  'provider-google',
  'provider-ollama',
  'provider-openai',
  'provider-openai-compatible',
]

const decoders = /packages\/(provider-[a-z-]+|chat-completions|driver|catalog)\/src\//

/**
 * Runs the tests that decode each exchange once, with coverage; the file `coverage-final.json` of
 * it.
 */
function coverage(corpus) {
  const folder = mkdtempSync(join(tmpdir(), 'modelport-corpus-'))
  const args = [
    'exec',
    'vitest',
    'run',
    'corpus.test.ts',
    '-t',
    'by one request|arguable',
    '--coverage.enabled',
  ]
  for (const name of sources) args.push('--project', name)
  // Globs are relative to each project, and the decoders of Chat Completions are outside of all.
  args.push(
    '--coverage.include=**/src/**',
    '--coverage.allowExternal=true',
    '--coverage.reporter=json',
    `--coverage.reportsDirectory=${folder}`,
  )
  const env = { ...process.env, MODELPORT_CORPUS: corpus }
  const { status, stdout } = spawnSync('pnpm', args, {
    cwd: root,
    env,
    encoding: 'utf8',
    maxBuffer: 1e9,
  })
  if (status !== 0) throw new Error(`the tests over ${corpus || 'the own corpus'} fail:\n${stdout}`)
  const report = JSON.parse(readFileSync(join(folder, 'coverage-final.json'), 'utf8'))
  rmSync(folder, { recursive: true })
  return report
}

/** Each statement and branch that ran, as "file:line what". */
function reached(report) {
  const places = new Set()
  let all = 0
  const add = (path, count, { line, column }, what) => {
    all++
    if (count > 0) places.add(`${relative(root, path)}:${line}:${column} ${what}`)
  }
  for (const [path, { statementMap, s, branchMap, b }] of Object.entries(report)) {
    if (!decoders.test(path)) continue
    for (const [id, place] of Object.entries(statementMap))
      add(path, s[id], place.start, 'statement')
    for (const [id, { type, locations, loc }] of Object.entries(branchMap))
      b[id].forEach((count, arm) =>
        add(
          path,
          count,
          locations[arm]?.start?.line ? locations[arm].start : loc.start,
          `${type} ${arm}`,
        ),
      )
  }
  if (all === 0) throw new Error('no source was measured')
  return { places, all }
}

const largeCases = (api) =>
  JSON.parse(readFileSync(join(large, 'index.json'), 'utf8'))
    .filter((row) => row.api === api)
    .map(({ id }) => JSON.parse(readFileSync(join(large, 'cases', `${id}.json`), 'utf8')))

/** Vendors, features, quirks, statuses and paths of the exchanges of one API. */
function facts(api, cases) {
  const found = new Set()
  for (const one of cases) {
    const { vendor, response } = one
    found
      .add(`${api} ${vendor}`)
      .add(`${api} status ${response.status}`)
      .add(`${api} ${response.framing}`)
    try {
      for (const record of recordsOf(one).values)
        for (const path of leavesIn(record)) found.add(`${api} ${vendor} ${nameOf(path)}`)
    } catch {
      found.add(`${api} a body that is not JSON`)
    }
  }
  return found
}

const difference = (own, other) => [...other].filter((one) => !own.has(one)).sort()
const own = reached(coverage(''))
const other = reached(coverage(large))
console.log(
  `decoders: ${own.places.size} of ${own.all} places with the own corpus, ${other.places.size} with the large one`,
)
const lists = {
  'lines and branches': difference(own.places, other.places),
  ...Object.fromEntries(
    apis.map((api) => [api, difference(facts(api, ownCases(api)), facts(api, largeCases(api)))]),
  ),
}
for (const [name, missing] of Object.entries(lists)) {
  console.log(`\nonly the large corpus reaches, ${name}: ${missing.length}`)
  for (const line of missing) console.log(`  ${line}`)
}
