import { expect, test } from 'vitest'
import { measureExports } from '../scripts/exports.ts'

/** Names that every provider package exports with one meaning. */
const ofProviders = ['capabilities', 'cheapestModel', 'countTokens', 'listModels', 'ModelTraits']

const packages = measureExports()

test('no two packages export one name for two things', () => {
  const owners = new Map<string, string[]>()
  for (const { name, exports } of packages) {
    for (const { name: exported, isReexport } of exports) {
      const isOfProvider = name.includes('/provider-') && ofProviders.includes(exported)
      if (!isReexport && !isOfProvider)
        owners.set(exported, [...(owners.get(exported) ?? []), name])
    }
  }
  const twice = [...owners].filter(([, owning]) => owning.length > 1)
  expect(twice.map(([exported, owning]) => `${exported}: ${owning.join(', ')}`)).toEqual([])
})
