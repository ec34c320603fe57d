import { fileURLToPath } from 'node:url'
import { type Library, library } from '../../tsup.base.js'
import { buildPage } from './build-page.mjs'

const parts = library('src/attach.ts', 'src/index.ts', 'src/node.ts')

const studio: Library = {
  ...parts,
  onSuccess: async () => {
    await parts.onSuccess()
    await buildPage(fileURLToPath(new URL('dist/page', import.meta.url)))
  },
}

export default studio
