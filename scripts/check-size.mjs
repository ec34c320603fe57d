// What a program weighs that imports this much: bundled, minified, gzipped. Fails above the limit.
import { build } from 'esbuild'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { root } from './workspaces.mjs'

const compatible = '@modelport/provider-openai-compatible'

// What is imported, and the most bytes, min+gzip: what it weighs now and one in a hundred. All are measured as a browser gets them, without undici.
const programs = [
  { name: 'core, all of it', code: 'export * from "@modelport/core"', limit: 4_000 },
  { name: 'driver, all of it, with core', code: 'export * from "@modelport/driver"', limit: 16_950 },
  // The goal of one preset is 12,000: see docs/architecture.md for what stands above it.
  { name: 'one preset', code: `export { createPresetProvider, deepseek } from "${compatible}"`, limit: 21_650 },
  { name: 'all presets, by name', code: `export { createPreset } from "${compatible}"`, limit: 23_420 },
]

const packages = ['core', 'driver', 'chat-completions', 'provider-openai-compatible']
const alias = Object.fromEntries(packages.map((name) => [`@modelport/${name}`, join(root, `packages/${name}/src/index.ts`)]))

for (const { name, code, limit } of programs) {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: root }, bundle: true, minify: true, format: 'esm', target: 'es2022', write: false,
    external: ['./undici-transport.js'], alias,
  })
  const [{ contents }] = outputFiles
  const bytes = gzipSync(contents, { level: 9 }).length
  const fits = bytes <= limit
  console.log(`${fits ? 'ok      ' : 'TOO BIG '} ${name}: ${bytes} of ${limit} bytes min+gzip (${contents.length} min)`)
  if (!fits) process.exitCode = 1
}
