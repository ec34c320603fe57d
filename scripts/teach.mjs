// What assistants read. `package`, in the folder of a package, before it is packed: the guides and
// the page of its exports, into docs/. `site FOLDER`: llms.txt and llms-full.txt. Without an
// argument: the llms.txt of the repository.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { apiPage } from './teach/api-page.mjs'
import { llmsFullText, llmsText } from './teach/llms.mjs'
import { carriedText, nameOf } from './teach/page-text.mjs'
import { carried } from './teach/pages.mjs'
import { publishedPackages, root } from './workspaces.mjs'

/** Writes the pages of a package into its folder `docs`. */
function writePackage(shortName) {
  const workspace = publishedPackages().find((one) => one.shortName === shortName)
  const folder = join(workspace.dir, 'docs')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const pages = carried[shortName]
  for (const page of pages)
    writeFileSync(join(folder, nameOf(page, pages)), carriedText(page, pages))
  writeFileSync(join(folder, 'api.md'), apiPage(workspace))
}

const [what, folder] = process.argv.slice(2)
if (what === 'package') writePackage(basename(process.cwd()))
else if (what === 'site') {
  writeFileSync(join(folder, 'llms.txt'), llmsText())
  writeFileSync(join(folder, 'llms-full.txt'), llmsFullText())
} else writeFileSync(join(root, 'llms.txt'), llmsText())
