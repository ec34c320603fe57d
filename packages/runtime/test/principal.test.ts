import { checkPrincipal, type Principal, parsePrincipal, toPrincipalText } from '@modelport/runtime'
import { expect, it } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'

const texts = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.constantFrom('[', '[null,"a"]', 'a', '"', ','),
)
const principals: fc.Arbitrary<Principal> = fc.record(
  { issuer: texts, subject: texts, tenant: texts },
  { requiredKeys: ['subject'] },
)

it('two principals have one text only if issuer, subject and tenant are the same', () => {
  fc.assert(
    fc.property(principals, principals, (one, other) => {
      const isSame =
        one.issuer === other.issuer && one.subject === other.subject && one.tenant === other.tenant
      expect(toPrincipalText(one) === toPrincipalText(other)).toBe(isSame)
    }),
  )
})

it('the text of a principal gives the principal again', () => {
  fc.assert(
    fc.property(principals, (principal) => {
      expect(parsePrincipal(toPrincipalText(principal))).toEqual(principal)
    }),
  )
})

it.each([
  '',
  '[',
  '[]',
  '[null,"a"]',
  '["i","a",1]',
  '["i", "a"]',
  '["i","a",null,"b"]',
  '[1,"a"]',
])('a text that no principal has is refused: %j', (text) => {
  expect(() => parsePrincipal(text)).toThrow('is not the text of a principal')
})

it.each([
  [{ subject: 'local' }, 'the principal "local" is reserved for the program itself'],
  [{ subject: 'operator' }, 'is reserved for whoever operates the store'],
  [{ subject: 'anonymous' }, 'is reserved for callers of a server without authentication'],
  ['alice', 'where: "alice" is not a principal; give { issuer, subject }, or { subject }'],
  [{ subject: '' }, 'is not a principal'],
  [{ issuer: '', subject: 'alice' }, 'is not a principal'],
  [{ issuer: 7, subject: 'alice' }, 'is not a principal'],
  [{ subject: 'alice', isuer: 'i' }, 'unknown setting "isuer"; did you mean "issuer"?'],
  [{ subject: 'alice', tenant: 't' }, 'unknown setting "tenant"'],
])('a principal that is reserved or has another form is refused: %j', (principal, message) => {
  expect(() => checkPrincipal('where', principal)).toThrow(message)
})

it('a reserved name is a name like any other at an issuer', () => {
  const principal = { issuer: 'https://login.example', subject: 'local' }
  expect(checkPrincipal('where', principal)).toBe(principal)
})
