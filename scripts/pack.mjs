// Packs packages of this repository, for an installation while they are not on npm. Its arguments
// are those of the `npm install` line of a page: `npm run pack -- @modelport/runtime zod` builds
// and packs the runtime with what it needs of ours, and prints the line that installs them.
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { packAll } from './trial/pack.mjs'
import { installLine, oursOf, withDependencies } from './unpublished/tarballs.mjs'
import { publishedPackages, root } from './workspaces.ts'

const folder = join(root, '.cache/tarballs')
const packages = publishedPackages()
const words = process.argv.slice(2)
const everything = oursOf(words).length === 0

/** Without a name, everything is packed, and the line installs what README.md begins with. */
const asked = everything
  ? [...words, '@modelport/provider-openai-compatible', '@modelport/runtime']
  : words

function build(wanted) {
  const filters = wanted.map(({ name }) => `--filter=${name}`)
  execFileSync('pnpm', ['exec', 'turbo', 'run', 'build', ...filters, '--output-logs=errors-only'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  })
}

try {
  const wanted = everything ? packages : withDependencies(oursOf(asked), packages)
  build(wanted)
  mkdirSync(folder, { recursive: true })
  const packed = await packAll(wanted, folder)
  const line = installLine(asked, packages, ({ shortName }) => packed.get(shortName).file)
  console.log(`\n${packed.size} packages are in ${folder}.`)
  if (everything)
    console.log('To install others, name them as a page does: npm run pack -- @modelport/agent')
  console.log(`Run this in the folder of your project:\n\n${line}\n`)
} catch (error) {
  console.error(`npm run pack: ${error.message}`)
  process.exitCode = 1
}
