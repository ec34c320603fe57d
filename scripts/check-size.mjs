// What a program weighs that imports this much: bundled, minified, gzipped. Fails above the limit.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { buildPage } from '../packages/studio/build-page.mjs'
import { bundleForBrowser } from '../test/support/bundle.ts'

const compatible = '@modelport/provider-openai-compatible'

// Measured as a browser gets them, without undici. A limit is raised in a commit that says what the
// bytes are for. The goal of one preset is 12,000: docs/decisions/0018-one-preset-weighs-27-kb.md.
const programs = [
  { name: 'core, all of it', code: 'export * from "@modelport/core"', limit: 7_500 },
  {
    name: 'driver, all of it, with core',
    code: 'export * from "@modelport/driver"',
    limit: 34_000,
  },
  {
    name: 'one preset',
    code: `export { createPresetProvider } from "${compatible}"; export { deepseek } from "@modelport/catalog"`,
    limit: 37_000,
  },
  {
    name: 'all presets, by name',
    code: `export { createPreset } from "${compatible}"`,
    limit: 40_000,
  },
  // Anthropic, openai and google without their SDKs, which `browser` in their manifests leaves out.
  {
    name: 'anthropic',
    code: 'export { createAnthropic } from "@modelport/provider-anthropic"',
    limit: 38_500,
  },
  // With AWS's codec and signatures, which a bundler cannot leave out.
  {
    name: 'bedrock',
    code: 'export { createBedrock } from "@modelport/provider-bedrock"',
    limit: 47_000,
  },
  {
    name: 'openai, both APIs',
    code: 'export { createOpenAI } from "@modelport/provider-openai"',
    limit: 43_500,
  },
  {
    name: 'google',
    code: 'export { createGoogle } from "@modelport/provider-google"',
    limit: 38_000,
  },
  {
    name: 'ollama',
    code: 'export { createOllama } from "@modelport/provider-ollama"',
    limit: 29_500,
  },
  // 6 kB of it convert schemas of zod/mini, which does not do that itself.
  {
    name: 'runtime: infer and defineTool',
    code: 'export { infer, defineTool } from "@modelport/runtime"',
    limit: 92_000,
  },
  // With what it takes of runtime and driver: calls of tools are executed as in a run, which brings
  // the validator of schemas that each tool of ours has anyway.
  {
    name: 'ai-sdk: toLanguageModel',
    code: 'export { toLanguageModel } from "@modelport/ai-sdk"',
    limit: 19_000,
  },
  { name: 'ai-sdk, all of it', code: 'export * from "@modelport/ai-sdk"', limit: 71_000 },
  { name: 'runtime, all of it', code: 'export * from "@modelport/runtime"', limit: 104_000 },
]

for (const { name, code, limit } of programs) {
  const contents = await bundleForBrowser(
    { contents: code },
    { minify: true, external: ['./undici-transport.js'] },
  )
  const bytes = gzipSync(contents, { level: 9 }).length
  const fits = bytes <= limit
  console.log(
    `${fits ? 'ok      ' : 'TOO BIG '} ${name}: ${bytes} of ${limit} bytes min+gzip (${contents.length} min)`,
  )
  if (!fits) process.exitCode = 1
}

// The page of the studio: what it loads before it shows anything.
const pageLimit = 80_000
const folder = mkdtempSync(join(tmpdir(), 'modelport-page-'))
await buildPage(folder)
const scripts = new Set(['app.js'])
// A set that grows is walked to its end: parts import other parts.
for (const script of scripts) {
  const text = readFileSync(join(folder, script), 'utf8')
  for (const [, name] of text.matchAll(/(?:from|import)"\.\/([\w.-]+)"/g)) scripts.add(name)
}
const page = ['index.html', 'app.css', ...scripts]
  .map((name) => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length)
  .reduce((sum, bytes) => sum + bytes)
rmSync(folder, { recursive: true })
console.log(
  `${page <= pageLimit ? 'ok      ' : 'TOO BIG '} page of the studio: ${page} of ${pageLimit} bytes gzip`,
)
if (page > pageLimit) process.exitCode = 1
