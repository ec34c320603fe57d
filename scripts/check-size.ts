// What a program weighs that imports this much: bundled, minified, gzipped. Fails above the limits
// of size-limits.json. `--update` raises those that are passed; the commit says what the bytes are
// for.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { buildPage } from '../packages/studio/build-page.mjs'
import { bundleForBrowser } from '../test/support/bundle.ts'
import { creatorsOf } from './creators.ts'
import { discoverWorkspaces } from './workspaces.ts'

const compatible = '@modelport/provider-openai-compatible'

interface Program {
  readonly name: string
  readonly code: string
}

/**
 * The providers of vendors. An SDK that `browser` of a manifest leaves out is not in them; Amazon's
 * codec and signatures are, which a bundler cannot leave out.
 */
const ofVendors: readonly Program[] = discoverWorkspaces()
  .filter(({ dir, name }) => existsSync(join(dir, 'test/api.ts')) && name !== compatible)
  .map((workspace) => ({
    name: workspace.shortName.replace('provider-', ''),
    code: `export { ${creatorsOf(workspace)['createProvider'] ?? ''} } from "${workspace.name}"`,
  }))

// Measured as a browser gets them, without undici. The goal of one preset is 12,000:
// docs/decisions/0018-one-preset-weighs-27-kb.md.
const programs: readonly Program[] = [
  { name: 'core, all of it', code: 'export * from "@modelport/core"' },
  {
    name: 'driver, all of it, with core',
    code: 'export * from "@modelport/driver"',
  },
  {
    name: 'one preset',
    code: `export { createPresetProvider } from "${compatible}"; export { deepseek } from "@modelport/catalog"`,
  },
  {
    name: 'all presets, by name',
    code: `export { createPreset } from "${compatible}"`,
  },
  ...ofVendors,
  // 6 kB of it convert schemas of zod/mini, which does not do that itself.
  {
    name: 'runtime: infer and defineTool',
    code: 'export { infer, defineTool } from "@modelport/runtime"',
  },
  // With what it takes of runtime and driver: calls of tools are executed as in a run, which brings
  // the validator of schemas that each tool of ours has anyway.
  {
    name: 'ai-sdk: toLanguageModel',
    code: 'export { toLanguageModel } from "@modelport/ai-sdk"',
  },
  { name: 'ai-sdk, all of it', code: 'export * from "@modelport/ai-sdk"' },
  { name: 'runtime, all of it', code: 'export * from "@modelport/runtime"' },
]

const zipped = (content: string | Uint8Array): number => gzipSync(content, { level: 9 }).length

async function sizeOfProgram({ code }: Program): Promise<number> {
  const contents = await bundleForBrowser(
    { contents: code },
    { minify: true, external: ['./undici-transport.js'] },
  )
  return zipped(contents)
}

/** The page of the studio: what it loads before it shows anything. */
async function sizeOfPage(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'modelport-page-'))
  await buildPage(folder)

  const scripts = new Set(['app.js'])
  // A set that grows is walked to its end: parts import other parts.
  for (const script of scripts) {
    const text = readFileSync(join(folder, script), 'utf8')
    for (const [, name = ''] of text.matchAll(/(?:from|import)"\.\/([\w.-]+)"/g)) scripts.add(name)
  }

  const files = ['index.html', 'app.css', ...scripts]
  const bytes = files.reduce((sum, name) => sum + zipped(readFileSync(join(folder, name))), 0)
  rmSync(folder, { recursive: true })
  return bytes
}

const limitsFile = new URL('size-limits.json', import.meta.url)
const limits = JSON.parse(readFileSync(limitsFile, 'utf8')) as Record<string, number>
const isUpdate = process.argv.includes('--update')

const page = 'page of the studio'
const sizes: (readonly [name: string, bytes: number])[] = []
for (const program of programs) sizes.push([program.name, await sizeOfProgram(program)])
sizes.push([page, await sizeOfPage()])

for (const [name, bytes] of sizes) {
  const limit = limits[name] ?? 0
  if (bytes <= limit) {
    console.log(`ok       ${name}: ${bytes} of ${limit} bytes min+gzip`)
    continue
  }
  if (isUpdate) limits[name] = Math.ceil(bytes / 500) * 500
  else process.exitCode = 1
  console.log(`TOO BIG  ${name}: ${bytes} of ${limit} bytes min+gzip`)
}

if (isUpdate) writeFileSync(limitsFile, `${JSON.stringify(limits, null, 2)}\n`)
else if (process.exitCode === 1)
  console.log(
    'If the bytes are worth it: node scripts/check-size.ts --update, and say why in the commit.',
  )
