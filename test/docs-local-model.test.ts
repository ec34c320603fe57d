// The first blocks that a newcomer runs, against a real llama.cpp server with a tiny real model at
// temperature 0. `MODELPORT_LLAMA_SERVER` is the path of the command that starts one; without it
// these tests are skipped.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { docBlocks, writePage } from './support/doc-blocks.js'
import { expectShape, printedBy } from './support/doc-run.js'
import { type LlamaServer, startLlamaServer } from './support/llama-server.js'
import { root } from './support/repository.js'

const named = process.env['MODELPORT_LLAMA_SERVER']
const pages = [
  'README.md',
  'docs/guides/call-options.md',
  'docs/guides/first-stream.md',
  'docs/runtime.md',
]
const folder = `docs-local-${process.pid}`

describe.skipIf(!named)('with a real server and a small model', () => {
  let server: LlamaServer | undefined
  beforeAll(() => {
    server = startLlamaServer(['--jinja', '--temp', '0'])
  })
  afterAll(() => {
    server?.stop()
    rmSync(join(root, '.cache', folder), { recursive: true, force: true })
  })

  const blocks = pages
    .flatMap((page) => docBlocks(page).map((block, index) => ({ ...block, index })))
    .filter(({ runs, code }) => runs && code.includes('createOpenAICompatible('))

  test.each(blocks)(
    '$page:$line prints what the page says, in the words of the model',
    async ({ index, ...block }) => {
      if (!server) return
      const address = `${server.url}/v1`
      const files = writePage(folder, block.page, (code) =>
        code
          .replace(/baseUrl: '[^']*'/g, `baseUrl: '${address}'`)
          .replace(
            /createOpenAICompatible\(\{(?![^}]*defaults)/g,
            '$& defaults: { temperature: 0, maxTokens: 300 },',
          ),
      )
      expectShape(block, await printedBy(files[index] ?? ''))
    },
  )

  test('there are blocks to run', () => {
    expect(blocks.length).toBeGreaterThan(5)
  })
})
