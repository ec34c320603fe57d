import { expect, test } from 'vitest'
import { PrincipalSlots } from '../src/principal-slots.js'

test('when all slots are taken, a new principal drives out one of the principal that has the most', () => {
  const slots = new PrincipalSlots<{ readonly principal: string }>({ inAll: 4, each: 3 })
  slots.add('a1', { principal: 'a' })
  for (const id of ['m1', 'm2', 'm3']) slots.add(id, { principal: 'm' })
  slots.touch('m1')
  expect(slots.add('b1', { principal: 'b' })).toEqual({ principal: 'm' })
  expect(['a1', 'm1', 'm2', 'm3', 'b1'].filter((id) => slots.get(id))).toEqual([
    'a1',
    'm1',
    'm3',
    'b1',
  ])
})

test('when all slots are taken, a principal that has one loses its own', () => {
  const slots = new PrincipalSlots<{ readonly principal: string }>({ inAll: 3, each: 3 })
  slots.add('a1', { principal: 'a' })
  for (const id of ['m1', 'm2']) slots.add(id, { principal: 'm' })
  expect(slots.add('a2', { principal: 'a' })).toEqual({ principal: 'a' })
  slots.delete('m1')
  expect(slots.add('c1', { principal: 'c' })).toBeUndefined()
  expect(['a1', 'm2', 'a2', 'c1'].filter((id) => slots.get(id))).toEqual(['m2', 'a2', 'c1'])
})
