import { attachDescription, describeProvider, type Provider } from '@modelport/core'
import { expect, test } from 'vitest'

const provider = (): Provider => ({ name: 'p', model: 'm' }) as Provider
const description = { profile: { contextWindow: 8192 } }

test('a provider without a description has an empty one', () => {
  expect(describeProvider(provider())).toEqual({})
})

test('a description is found on the provider and its copies, and among no names of its fields', () => {
  const described = attachDescription(provider(), description)
  expect(describeProvider(described)).toEqual(description)
  expect(describeProvider({ ...described, name: 'copy' })).toEqual(description)
  expect(Object.keys(described)).toEqual(['name', 'model'])
})

test('a later description replaces an earlier one', () => {
  const described = attachDescription(attachDescription(provider(), description), {
    profile: { contextWindow: 4096 },
  })
  expect(describeProvider(described)).toEqual({ profile: { contextWindow: 4096 } })
})
