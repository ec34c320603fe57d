// Builds the page into one folder of static files: nothing is fetched from elsewhere when it runs.
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/** Bundles the page into `folder`: `app.js` and `app.css` at once, other files when a view needs them. */
export async function buildPage(folder) {
  // The names of parts change with what is in them: those of an earlier build must not be published.
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await build({
    entryPoints: [
      { in: here('src/page/main.tsx'), out: 'app' },
      { in: here('src/page/app.css'), out: 'app' },
    ],
    outdir: folder,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'error',
  })
  await copyFile(here('src/page/index.html'), `${folder}/index.html`)
}
