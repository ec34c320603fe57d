// The pages that a package carries: its guides, and the page of its exports.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiPage } from './api-page.ts'
import { carriedText, nameOf } from './page-text.ts'
import { carried } from './pages.ts'

/** Writes the pages of a package into its folder `docs`. */
export function writePackagePages(workspace) {
  const folder = join(workspace.dir, 'docs')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)

  const pages = carried[workspace.shortName]
  for (const page of pages)
    writeFileSync(join(folder, nameOf(page, pages)), carriedText(page, pages))
  writeFileSync(join(folder, 'api.md'), apiPage(workspace))
}
