import { gzipSync } from 'node:zlib'
import { bundleForBrowser } from '../../test/support/bundle.ts'

/**
 * `node src/weights.ts`: what a program weighs that imports this, in one file, minified, gzip, for
 * a browser; and what each further name adds to a run with a tool.
 */
const compatible = `export { createOpenAICompatible } from '@modelport/provider-openai-compatible'`
const run = `export { defineTool, infer } from '@modelport/runtime'`
const further: Readonly<Record<string, string>> = {
  inferStream: 'runtime',
  createMemoryJournal: 'runtime',
  generateObject: 'runtime',
  streamObject: 'runtime',
  withBudget: 'runtime',
  createMemoryBudgets: 'runtime',
  instrumentProvider: 'runtime/opentelemetry',
  combine: 'runtime',
  callAction: 'runtime',
}

async function weigh(contents: string): Promise<number> {
  const text = await bundleForBrowser(
    { contents },
    { minify: true, external: ['./undici-transport.js'] },
  )
  return gzipSync(text, { level: 9 }).length / 1000
}

console.log('| exports | kB |\n|---|--:|')
const programs = {
  'a provider, which streams': compatible,
  '`infer` and a tool': run,
  both: `${compatible}; ${run}`,
}
const found: Record<string, number> = {}
for (const [name, code] of Object.entries(programs)) {
  found[name] = await weigh(code)
  console.log(`| ${name} | ${found[name].toFixed(1)} |`)
}
for (const [name, of] of Object.entries(further)) {
  const whole = await weigh(`${compatible}; ${run}; export { ${name} } from '@modelport/${of}'`)
  console.log(`| both and \`${name}\` | + ${(whole - (found['both'] ?? NaN)).toFixed(1)} |`)
}
