import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import {
  findPostgres,
  type PostgresServer,
  startPostgres,
} from '../../packages/durable/test/support/postgres-server.js'
import { measureCost } from './kill/cost.ts'
import { moments } from './kill/moments.ts'
import { environmentOf, kitFolder, type Peer, peers } from './kill/peers.ts'
import { bundleModelport, programOf } from './kill/program.ts'
import { type PeerResult, toMarkdown, versionsOf } from './kill/report.ts'
import { type Outcome, Try } from './kill/try.ts'

/**
 * `pnpm --filter @modelport/bench run kill`: kills the same job at the same moments in modelport
 * and in other libraries, and judges it by a ledger outside. evidence/kill.md says what is
 * counted. Results are kept in `.cache/kill`, so that `--peer` repeats one of them.
 */
const { values } = parseArgs({
  options: {
    peer: { type: 'string', default: '' },
    moment: { type: 'string', default: '' },
    tries: { type: 'string', default: '20' },
    parallel: { type: 'string', default: '2' },
    out: { type: 'string' },
  },
})
const cache = join(kitFolder, '../../.cache/kill')
mkdirSync(cache, { recursive: true })
const fileOf = ({ name }: Peer): string => join(cache, `${name.replaceAll(/\W+/g, '-')}.json`)

/** Jobs that one process works on at the same time. */
const groupSize = 5

let jobs = 0
const prefix = `job-${Date.now().toString(36)}`

async function examine(peer: Peer, server: PostgresServer | undefined): Promise<PeerResult> {
  const folder = mkdtempSync(join(tmpdir(), 'modelport-kill-'))
  const program = peer.adapter === 'modelport' ? await bundleModelport(folder) : programOf(peer)
  const place = async (count: number) => {
    const store = server?.url ?? mkdtempSync(join(folder, 'store-'))
    const names = Array.from({ length: count }, () => `${prefix}-${++jobs}`)
    const env = {
      NODE_COMPILE_CACHE: join(cache, 'compiled'),
      ...(await environmentOf(peer, store)),
    }
    return { program, store, jobs: names, env }
  }
  try {
    // The first one fills the caches.
    await new Try(await place(groupSize)).run()
    const { outcomes: undisturbed, usualMs } = await new Try(await place(groupSize)).run()
    const stuck = undisturbed.find((one) => one.stuck !== undefined)?.stuck
    if (stuck !== undefined)
      throw new Error(`${peer.name} does not finish undisturbed jobs: ${stuck}`)
    const outcomes: Record<string, readonly Outcome[]> = {}
    for (const moment of moments.filter(({ name }) => name.includes(values.moment))) {
      const own: Outcome[] = []
      const line = async (): Promise<void> => {
        while (own.length < Number(values.tries)) {
          const { outcomes } = await new Try({ ...(await place(groupSize)), moment, usualMs }).run()
          // A random kill that came after the end does not count.
          own.push(...outcomes.filter(({ kills }) => kills > 0 || moment.losesReply))
        }
      }
      await Promise.all(Array.from({ length: Number(values.parallel) }, line))
      outcomes[moment.name] = own
      console.log(`${peer.name}, ${moment.name}: ${summarize(own)}`)
    }
    return {
      name: peer.name,
      versions: versionsOf(peer),
      usualMs,
      outcomes,
      cost: await measureCost(() => place(1), server && (() => logOf(server))),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** How many bytes the log of a server has by now. */
async function logOf({ url }: PostgresServer): Promise<number> {
  const sql = postgres(url, { max: 1 })
  const [row] = await sql<{ bytes: string }[]>`SELECT pg_current_wal_lsn() - '0/0' AS bytes`
  await sql.end()
  return Number(row?.bytes)
}

const summarize = (own: readonly Outcome[]): string =>
  JSON.stringify({
    tries: own.length,
    doubled: own.filter(({ doubled }) => doubled.length > 0).length,
    lost: own.filter(({ lost }) => lost.length > 0).length,
    stuck: own.filter(({ stuck }) => stuck !== undefined).length,
    why: [...new Set(own.flatMap(({ stuck }) => stuck ?? []))].slice(0, 3),
    asked: own.filter(({ asked }) => asked > 0).length,
  })

for (const peer of peers.filter(({ name }) => name.includes(values.peer))) {
  const programs = peer.onPostgres && findPostgres()
  if (peer.onPostgres && !programs) continue
  const server = programs ? await startPostgres(programs, { isSafe: true }) : undefined
  try {
    writeFileSync(fileOf(peer), JSON.stringify(await examine(peer, server)))
  } finally {
    await server?.stop()
  }
}
const results = peers.flatMap((peer): PeerResult[] => {
  try {
    return [JSON.parse(readFileSync(fileOf(peer), 'utf8')) as PeerResult]
  } catch {
    return []
  }
})
const markdown = toMarkdown(results)
if (values.out) {
  const page = readFileSync(values.out, 'utf8')
  const [before = '', rest = ''] = page.split('<!-- results -->\n')
  writeFileSync(
    values.out,
    `${before}<!-- results -->\n${markdown}\n${rest.slice(rest.indexOf('<!-- end of results -->'))}`,
  )
} else console.log(markdown)
process.exit()
