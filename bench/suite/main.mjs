// Runs the suite for clients with each driver, and writes evidence/suite.md.
//
//   node --import ./scripts/sources.mjs bench/suite/main.mjs [driver …]
//
// With `--suite URL` it runs the drivers against a server that is there, and writes nothing.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startSuiteServer } from '@modelport/conformance/wire-server'
import { evidencePage } from './page.mjs'

const folder = fileURLToPath(new URL('drivers/', import.meta.url))
const page = fileURLToPath(new URL('../../evidence/suite.md', import.meta.url))
const helpers = ['drive.mjs', 'version.mjs']
const drivers = readdirSync(folder)
  .filter((file) => !helpers.includes(file))
  .sort()

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { suite: { type: 'string' } },
})
const chosen = drivers.filter(
  (file) => !positionals.length || positionals.includes(file.replace(/\.\w+$/, '')),
)

if (values.suite !== undefined) await Promise.all(chosen.map((file) => runHere(file, values.suite)))
else await publish()

/** Runs a driver in this process. */
async function runHere(file, suite) {
  const { run } = await import(`./drivers/${file}`)
  await run(suite)
}

/** Runs each driver in a process of its own, one after the other, and writes the page. */
async function publish() {
  const server = await startSuiteServer({ port: 4100 })
  for (const file of chosen) {
    const [program, args] = file.endsWith('.py')
      ? ['python3', [folder + file, server.url]]
      : [
          process.execPath,
          [...process.execArgv, process.argv[1], '--suite', server.url, file.replace(/\.\w+$/, '')],
        ]
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.on('data', (bytes) => {
      said += String(bytes)
    })
    const [status] = await once(child, 'exit')
    console.log(`${file}: ${status === 0 ? 'done' : `status ${status}`}`)
    if (status !== 0) console.log(said)
  }
  if (!positionals.length) writeFileSync(page, evidencePage(server.reports()))
  for (const { client, version, wire, groups } of server.reports())
    console.log(client, version, wire, JSON.stringify(groups))
  await server.close()
}
