import { createRedact, headerSecrets } from '@modelport/core'
import { describe, expect, test } from 'vitest'

test('redaction treats four characters as a secret, but not three', () => {
  expect(createRedact(['abcd', 'xyz'])('abcd xyz')).toBe('[redacted] xyz')
  // The base64 of three characters has four.
  expect(createRedact(['xyz'])(btoa('xyz'))).toBe(btoa('xyz'))
})

test('redaction looks for starts of secrets that are longer than twelve characters', () => {
  expect(createRedact(['abcdefghijkl'])('abcdefghijk abcdefghijkl')).toBe('abcdefghijk [redacted]')
  const redact = createRedact(['abcdefghijklmnop'])
  expect(redact('abcdefghijk|')).toBe('abcdefghijk|')
  expect(redact('abcdefghijkl|')).toBe('[redacted]|')
  expect(redact('abcdefghijklmn|')).toBe('[redacted]|')
  expect(redact('abcdefghijklm abcdefghijkl-abcdefghijklmnop')).toBe(
    '[redacted] [redacted]-[redacted]',
  )
  expect(redact('abcdefghijkl')).toBe('[redacted]')
})

test('the longest form goes first, so that nothing of it stays', () => {
  expect(createRedact(['secret', 'secret-and-more', 'more'])('secret-and-more')).toBe('[redacted]')
  expect(createRedact(['more', 'secret', 'secret-and-more'])('secret-and-more')).toBe('[redacted]')
})

test('a secret in base64 for addresses is redacted without its filling', () => {
  const secret = '???>>>~~~key-0123'
  const form = btoa(secret)
  expect(form).toMatch(/[+/].*=$/)
  const redact = createRedact([secret])
  expect(redact(form)).toBe('[redacted]')
  expect(redact(form.replace(/=+$/, ''))).toMatch(/^\[redacted\].?$/)
  expect(redact(form.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''))).toBe(
    '[redacted]',
  )
})

test('a text without secrets does not change', () => {
  expect(createRedact([])('abcd')).toBe('abcd')
  expect(createRedact([undefined, '', 'abc'])('abc undefined')).toBe('abc undefined')
})

test('a short secret in base64 for addresses is redacted without its filling', () => {
  expect(btoa('???>')).toBe('Pz8/Pg==')
  expect(createRedact(['???>'])('Pz8_Pg Pz8/Pg==')).toBe('[redacted] [redacted]')
})

test('inside another base64 text a secret goes to its last character, where none of it is shared', () => {
  expect(createRedact(['abcdefghijk'])(btoa('xabcdefghijk'))).toMatch(/^..\[redacted\]$/)
})

test('a text may end with a secret, or with its start', () => {
  expect(createRedact(['abcdefghijklmnop'])('abcdefghijklmno')).toBe('[redacted]')
  expect(createRedact(['abcdefghijklmnop'])('abcdefghijklmnop')).toBe('[redacted]')
})

test.each([
  [
    'what comes after the scheme, however short',
    { authorization: 'Basic hunter2' },
    'hunter2',
    true,
  ],
  ['a word of eight characters', { cookie: 'theme=light123; a=b' }, 'light123', true],
  ['no word of seven', { cookie: 'theme=light12; a=b' }, 'light12', false],
  ['twenty digits', { 'x-team': '12345678901234567890' }, '12345678901234567890', true],
  ['no twenty letters', { 'x-team': 'abcdefghijklmnopqrst' }, 'abcdefghijklmnopqrst', false],
  [
    'twenty characters with a digit next to twenty without',
    { 'x-team': 'abcdefghijklmnopqrst-0bcdefghijklmnopqrst' },
    'abcdefghijklmnopqrst-0bcdefghijklmnopqrst',
    true,
  ],
])('redaction of headers covers %s', (_, headers, text, secret) => {
  expect(createRedact(headerSecrets(headers))(text)).toBe(secret ? '[redacted]' : text)
})

test.each([
  [
    'no key, token or cookie',
    { accept: 'application/json', 'x-team': 'blue', 'x-build': 'number 7' },
    [],
  ],
  ['four characters after the scheme', { authorization: 'Bearer abcd' }, ['Bearer abcd', 'abcd']],
  ['a short key, however its header is spelled', { apikey: 'hunter2' }, ['hunter2', 'hunter2']],
])('the secrets of headers are %s', (_, headers, secrets) => {
  expect(headerSecrets(headers)).toEqual(secrets)
})

describe('the public start of a key', () => {
  test.each([
    ['its words', 'sk-ant-api03-abcdefghijkl', 'sk-ant-api03-'],
    ['its scheme', 'Bearer token_0123456789AB', 'Bearer token_'],
    ['words with a digit each', 'a1-b2-c3-d4-0123456789AB', 'a1-b2-c3-d4-'],
  ])('the public start of a key stays readable: %s', (_, secret, text) => {
    expect(createRedact([secret])(text)).toBe(text)
    expect(createRedact([secret])(`${text} ${secret}`)).toBe(`${text} [redacted]`)
  })

  test('the public start of a key is a part of the secret where fewer than twelve characters follow', () => {
    expect(createRedact(['sk-ant-api03-abcdefghijk'])('sk-ant-api03-')).toBe('[redacted]')
  })
})

describe('runs of a secret', () => {
  test('a secret of just twelve characters is found in capitals too', () => {
    expect(createRedact(['abcdefgh1234'])('ABCDEFGH1234')).toBe('[redacted]')
  })

  test('the longest run is redacted where a part of the secret stands in it twice', () => {
    const redact = createRedact(['abcdefghij-12_abcdefghij-12345678'])
    expect(redact('the key ends with abcdefghij-12345678.')).toBe('the key ends with [redacted].')
    expect(createRedact(['abcdef-1-abcdef-23456789'])('abcdef-23456')).toBe('[redacted]')
  })

  test('runs of a secret leave the spaces around them to the text', () => {
    const redact = createRedact(['correct horse battery staple'])
    expect(redact('of horse battery in')).toBe('of [redacted] in')
    expect(redact('of horse battery!')).toBe('of [redacted]!')
    expect(redact('(horse battery in')).toBe('([redacted] in')
  })

  test('secrets have a mark each where one follows the other', () => {
    expect(createRedact(['abcd'])('abcdabcd')).toBe('[redacted][redacted]')
  })
})

describe('a secret in an encoding', () => {
  test('a secret encoded for an address is found with a character that has no UTF-8', () => {
    expect(createRedact(['key-\ud800-0123456'])('key-%EF%BF%BD-0123456')).toBe('[redacted]')
  })

  test('a secret in hex is found with a byte below sixteen', () => {
    expect(
      createRedact(['tab\tsecret-0123'])(Buffer.from('tab\tsecret-0123').toString('hex')),
    ).toBe('[redacted]')
  })

  test('a secret in HTML is found with its entities in either case', () => {
    const redact = createRedact(['<a&b"c\'d>'])
    expect(redact('&lt;a&amp;b&quot;c&apos;d&gt;')).toBe('[redacted]')
    expect(redact('&LT;a&AMP;b&QUOT;c&APOS;d&GT;')).toBe('[redacted]')
  })
})

describe('time grows with the length', () => {
  test('time grows with the length of a text that was escaped forty thousand times', () => {
    const text = `%${'25'.repeat(40_000)}41`
    expect(createRedact(['abcdefgh'])(text)).toBe(text)
  })

  test('time grows with the length of a text, though a secret repeats itself', () => {
    const redact = createRedact(['a'.repeat(2000)])
    expect(redact('a'.repeat(200_000))).toBe('[redacted]'.repeat(100))
  })
})
