// What an entry weighs in an application: bundled, minified, gzipped. Fails above the limit.
import { build } from 'esbuild'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { root } from './workspaces.mjs'

// entry → most bytes, min+gzip. `driver` is measured as a browser gets it, without undici.
const limits = {
  'packages/core/src/index.ts': 4_000,
  'packages/driver/src/index.ts': 24_000,
}

for (const [entry, limit] of Object.entries(limits)) {
  const { outputFiles } = await build({
    entryPoints: [join(root, entry)], bundle: true, minify: true, format: 'esm', target: 'es2022', write: false,
    external: ['./undici-transport.js'], alias: { '@modelport/core': join(root, 'packages/core/src/index.ts') },
  })
  const [{ contents }] = outputFiles
  const bytes = gzipSync(contents, { level: 9 }).length
  const fits = bytes <= limit
  console.log(`${fits ? 'ok      ' : 'TOO BIG '} ${entry}: ${bytes} of ${limit} bytes min+gzip (${contents.length} min)`)
  if (!fits) process.exitCode = 1
}
