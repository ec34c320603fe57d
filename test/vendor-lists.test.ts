import { expect, test } from 'vitest'
import { creatorsOf } from '../scripts/creators.ts'
import { sourceLists, tableLists } from '../scripts/vendor-lists.ts'
import { discoverWorkspaces } from '../scripts/workspaces.ts'

test.each([...sourceLists(), ...(await tableLists())])(
  '$path has the list that `pnpm vendors` writes',
  (file) => {
    expect(file.current, 'pnpm vendors').toBe(file.expected)
  },
)

test('what the factory loads of a package is read from its exports', () => {
  const google = discoverWorkspaces().find(({ shortName }) => shortName === 'provider-google')
  expect(google && creatorsOf(google)).toEqual({
    createProvider: 'createGoogle',
    createEmbedder: 'createGoogleEmbedder',
    createBatches: 'createGoogleBatches',
    createFiles: 'createGoogleFiles',
    createAccessToken: 'createGoogleAccessToken',
    listModels: 'listModels',
  })
})

test('a package whose exports do not say which function makes the provider is refused', () => {
  const catalog = discoverWorkspaces().find(({ shortName }) => shortName === 'catalog')
  expect(() => catalog && creatorsOf(catalog)).toThrow(
    'packages/catalog/src/index.ts: export one function createNAME that makes the provider',
  )
})
