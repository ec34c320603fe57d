// What assistants read. `package`, in the folder of a package, before it is packed: the guides and
// the page of its exports, into docs/. `site FOLDER`: llms.txt and llms-full.txt. Without an
// argument: the llms.txt of the repository.
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { llmsFullText, llmsText } from './teach/llms.ts'
import { writePackagePages } from './teach/package-pages.mjs'
import { publishedPackages, root } from './workspaces.ts'

const [what, folder] = process.argv.slice(2)
if (what === 'package') {
  const name = basename(process.cwd())
  writePackagePages(publishedPackages().find(({ shortName }) => shortName === name))
} else if (what === 'site') {
  writeFileSync(join(folder, 'llms.txt'), llmsText())
  writeFileSync(join(folder, 'llms-full.txt'), llmsFullText())
} else writeFileSync(join(root, 'llms.txt'), llmsText())
