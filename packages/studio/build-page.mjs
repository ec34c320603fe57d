// Builds the page into one folder of static files: nothing is fetched from elsewhere when it runs.
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/**
 * Bundles the page into `folder`: `app.js` and `app.css` at once, other files when a view needs
 * them.
 */
export async function buildPage(folder) {
  // The names of parts change with what is in them: those of an earlier build must not be
  // published.
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const { outputFiles } = await build({
    entryPoints: [
      { in: here('src/page/main.tsx'), out: 'app' },
      { in: here('src/page/app.css'), out: 'app' },
    ],
    outdir: folder,
    bundle: true,
    write: false,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'error',
  })
  for (const [name, text] of named(outputFiles)) await writeFile(join(folder, name), text)
  await copyFile(here('src/page/index.html'), `${folder}/index.html`)
}

/**
 * The files with numbers for the hashes in their names: esbuild's depend on the folder of the
 * build, and two builds must give the same files.
 */
function named(files) {
  const hash = /-[A-Z0-9]{8}(?=\.(?:js|css)$)/
  const plain = (text) => text.replace(/-[A-Z0-9]{8}\.(?:js|css)/g, '')
  const old = files
    .map(({ path, text }) => ({ name: basename(path), text }))
    .sort((a, b) => (plain(a.name + a.text) < plain(b.name + b.text) ? -1 : 1))
  const names = old
    .filter(({ name }) => hash.test(name))
    .map(({ name }, index) => [name, name.replace(hash, `-${index + 1}`)])
  const renamed = (text) => names.reduce((done, [from, to]) => done.replaceAll(from, to), text)
  return old.map(({ name, text }) => [renamed(name), renamed(text)])
}
