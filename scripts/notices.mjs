// Writes the first lines of the READMEs and of the skill as packages/factory/src/base/published.ts
// says: with a notice while the packages are not on npm. llms.txt follows: `pnpm llms`.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isPublished } from '../packages/factory/src/base/published.ts'
import { inForm, noticedPages, readPage } from './unpublished/notices.mjs'
import { root } from './workspaces.ts'

for (const path of noticedPages()) {
  const text = readPage(path)
  const wanted = inForm(path, text, isPublished)
  if (wanted !== text) writeFileSync(join(root, path), wanted)
}
