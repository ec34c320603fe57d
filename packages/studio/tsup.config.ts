import { fileURLToPath } from 'node:url'
import { defineConfig, type Options } from 'tsup'
import { library } from '../../tsup.base.js'
import { buildPage } from './build-page.mjs'

const options = library('src/attach.ts', 'src/index.ts', 'src/node.ts') as Options

export default defineConfig({
  ...options,
  onSuccess: () => buildPage(fileURLToPath(new URL('dist/page', import.meta.url))),
})
