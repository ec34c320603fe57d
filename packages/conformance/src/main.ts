#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { errorText } from '@modelport/core/text'
import { helpOf, startSuiteServer } from './served/wire-server-suite.js'

const usage = `usage: npx @modelport/conformance serve [--port 4100] [--host 127.0.0.1]

Serves the test suite of clients of language models until it is stopped.
`

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      port: { type: 'string', default: '4100' },
      host: { type: 'string', default: '127.0.0.1' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const port = Number(values.port)
  const isServe = positionals.length === 1 && positionals[0] === 'serve'
  if (values.help || !isServe || !Number.isInteger(port) || port < 0 || port > 65_535) {
    ;(values.help ? process.stdout : process.stderr).write(usage)
    process.exitCode = values.help ? 0 : 2
    return
  }
  // `npx` ends without a word to its program.
  if (process.env['npm_command'] === 'exec') endWithParent()
  const { url } = await startSuiteServer({ port, host: values.host })
  process.stdout.write(helpOf(url))
}

/** Ends this process soon after the one that started it. */
function endWithParent(): void {
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) process.exit()
  }, 250).unref()
}

main().catch((error: unknown) => {
  process.stderr.write(`${errorText(error)}\n`)
  process.exitCode = 1
})
