// Set-up of a run inside another runtime: fails when the tests are in truth run by another one.
const wanted = process.env['MODELPORT_RUNTIME']
const [major = ''] = process.versions.node.split('.')
const actual = 'Deno' in globalThis ? 'deno' : 'bun' in process.versions ? 'bun' : `node-${major}`
if (wanted !== actual)
  throw new Error(`these tests were meant for ${wanted ?? 'node'}, but run in ${actual}`)
