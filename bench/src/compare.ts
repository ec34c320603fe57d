import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { type Column, toMarkdown } from './compare/markdown.ts'
import { apiKey, baseUrl } from './compare/peer.ts'
import { peers, runPeer, runProvider } from './compare/run-peer.ts'

/**
 * `node src/compare.ts [--peer NAME] [--only TEXT] [--out FILE]`: holds other libraries to the
 * conformance kit over Chat Completions, each through a thin adapter. docs/compare.md says what is
 * counted.
 */
const { values } = parseArgs({
  options: {
    peer: { type: 'string' },
    only: { type: 'string', default: '' },
    out: { type: 'string' },
  },
})
const isWanted = (name: string): boolean => values.peer === undefined || values.peer === name

// A library that leaves a rejection behind would end this process.
process.on('unhandledRejection', (error) => {
  process.stderr.write(`unhandled rejection: ${String(error)}\n`)
})
const columns: Column[] = []
if (isWanted('modelport')) {
  columns.push({
    name: 'modelport',
    packages: ['@modelport/provider-openai-compatible'],
    results: await runProvider(
      'modelport',
      (config) => createOpenAICompatible({ baseUrl, model: 'model', apiKey, ...config }),
      values.only,
    ),
  })
}
for (const peer of peers)
  if (isWanted(peer.name))
    columns.push({
      name: peer.name,
      packages: peer.packages,
      results: await runPeer(peer, values.only),
    })

const markdown = toMarkdown(columns)
if (values.out) writeFileSync(values.out, markdown)
else console.log(markdown)
// Some libraries keep timers or sockets.
process.exit()
