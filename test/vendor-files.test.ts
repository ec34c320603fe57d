import { expect, test } from 'vitest'
import {
  exceptions,
  foreignFiles,
  isIn,
  listings,
  packagedVendors,
  readFiles,
  settled,
  unexcusedFiles,
} from './support/vendor-files.js'

const files = readFiles()

const advice = (vendor: string): string =>
  `a file names ${vendor}: read its row of the catalog or of its test/api.ts instead, or move ` +
  `the case into a file that has the vendor's name; see test/support/vendor-files.ts`

test.each(packagedVendors)('%s is named in its own files and in the lists of vendors', (vendor) => {
  expect(unexcusedFiles(vendor, files), advice(vendor)).toEqual([])
})

/**
 * How many files outside of its own name a vendor that has exceptions; another one is in the lists
 * alone. Lower a number when it falls.
 */
const most: Readonly<Record<string, number>> = {
  anthropic: 15,
  bedrock: 48,
  google: 17,
  llamacpp: 55,
  ollama: 12,
  openai: 37,
}

test('no vendor that has exceptions is named in more files than before', () => {
  const counts = settled.map((vendor) => [vendor, foreignFiles(vendor, files).length])
  expect(Object.fromEntries(counts)).toEqual(most)
})

test('a new vendor may be in the lists, and in no file that is an exception for another one', () => {
  const planted = new Map([
    ['packages/provider-quill/src/request.ts', 'quill'],
    ['packages/catalog/src/vendors/quill.ts', 'quill'],
    ['docs/providers/quill.md', 'quill'],
    ['test/tested-apis.ts', 'quill'],
    ['test/counts.test.ts', "apinamed('quill')"],
    ['packages/driver/src/base/json.ts', "name === 'quill'"],
  ])
  expect(unexcusedFiles('quill', planted)).toEqual([
    'test/counts.test.ts',
    'packages/driver/src/base/json.ts',
  ])
})

test('every exception excuses something', () => {
  const named = packagedVendors.flatMap((vendor) => foreignFiles(vendor, files))
  const unused = [...listings, ...exceptions].filter(
    (row) => !named.some((path) => isIn(row, path)),
  )
  expect(unused).toEqual([])
})
