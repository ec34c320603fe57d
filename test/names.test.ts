import { expect, test } from 'vitest'
import { measureExports } from '../scripts/exports.mjs'

/** Names that every provider package exports with one meaning. */
const ofProviders = ['capabilities', 'cheapestModel', 'countTokens', 'listModels', 'ModelTraits']

/** Known, and to be cut: core's is the object `{ vendor }`, driver's merges vendor fields into a body. */
const left = ['withVendor']

test('no two packages export one name for two things', () => {
  const owners = new Map<string, string[]>()
  for (const { name, exports } of measureExports()) {
    for (const { name: exported, isReexport } of exports) {
      const isOfProvider = name.includes('/provider-') && ofProviders.includes(exported)
      if (!isReexport && !isOfProvider && !left.includes(exported))
        owners.set(exported, [...(owners.get(exported) ?? []), name])
    }
  }
  const twice = [...owners].filter(([, packages]) => packages.length > 1)
  expect(twice.map(([exported, packages]) => `${exported}: ${packages.join(', ')}`)).toEqual([])
})
