import { createRedact } from '@modelport/core'
import { describe, expect, test } from 'vitest'

const secrets = [
  'sk-ant-api03-Zx81CanaryKey0123456789',
  'pä$$ wörd "quoted" \\ /+=&?%',
  'abcd',
  'a',
  '12345678901',
  'kéy👩‍🚀-with-astral',
]

/** Every form a secret may take in a text. */
function forms(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret)
  const base64 = (text: Uint8Array): string =>
    btoa(Array.from(text, (byte) => String.fromCharCode(byte)).join(''))
  const around = ['', 'x', 'xy', 'xyz', 'Bearer ', 'user:'].flatMap((before) =>
    ['', 'z', 'zz'].map((after) =>
      base64(
        Uint8Array.from([
          ...new TextEncoder().encode(before),
          ...bytes,
          ...new TextEncoder().encode(after),
        ]),
      ),
    ),
  )
  const forUrls = around.map((form) =>
    form.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
  )
  const percent = encodeURIComponent(secret)
  return [
    secret,
    percent,
    percent.replace(/%../g, (byte) => byte.toLowerCase()),
    JSON.stringify(secret).slice(1, -1),
    ...around,
    ...forUrls,
  ]
}

describe.each(secrets.filter((secret) => secret.length >= 4))('%s', (secret) => {
  const redact = (text: string): string => createRedact([secret])(text)

  test('a secret is found as it is, encoded, escaped, and inside another base64 text', () => {
    for (const form of forms(secret)) {
      const clean = redact(`before ${form} after, and again: ${form}`)
      expect(clean).toContain('[redacted]')
      expect(clean).not.toContain(secret)
      // Only characters of a base64 text that mix with its neighbours may stay.
      if (form.length > 16) expect(clean).not.toContain(form.slice(10, -6))
      expect(redact(clean)).toBe(clean)
    }
  })

  test('redaction leaves other texts alone', () => {
    for (const text of [
      '',
      'an ordinary text',
      '{"error":{"message":"bad request"}}',
      'x'.repeat(1000),
    ])
      expect(redact(text)).toBe(text)
  })
})

test('a start of at least 12 characters is found, a shorter one is not', () => {
  const redact = createRedact(['sk-0123456789abcdef'])
  expect(redact('key sk-0123456789****')).toBe('key [redacted]****')
  expect(redact('key sk-012345678')).toBe('key [redacted]')
  expect(redact('key sk-01234567****')).toBe('key sk-01234567****')
  expect(redact('sk-0123456789abcdeX sk-0123456789abcdef')).toBe('[redacted]X [redacted]')
})

test('short and missing secrets are not looked for', () => {
  expect(createRedact(['a', '', undefined, 'abc'])('abcabc a')).toBe('abcabc a')
})

test('two secrets, one inside the other, are both found', () => {
  const redact = createRedact(['secret-one', 'my-secret-one-and-more'])
  expect(redact('my-secret-one-and-more secret-one')).toBe('[redacted] [redacted]')
})

test('functions that redact become one, which finds the secrets of all, also of one that was made elsewhere', () => {
  const elsewhere = (text: string): string => text.replaceAll('third', '[gone]')
  const redact = createRedact([
    'first-secret-1',
    createRedact(['second-secret-2']),
    elsewhere,
    undefined,
  ])
  expect(redact('first-secret-1 second-secret-2 third')).toBe('[redacted] [redacted] [gone]')
  expect(createRedact([redact])('first-secret-1 third')).toBe('[redacted] [gone]')
})

test('a secret is found in capitals next to a letter whose lower case is longer', () => {
  expect(createRedact(['abcdefghijklmnop'])('İ ABCDEFGHIJKLMNOP İ')).toBe('İ [redacted] İ')
})

test('an attack on the search stays fast', () => {
  const redact = createRedact(['a'.repeat(40)])
  // By the square of its length each would take hours.
  expect(redact('a'.repeat(11).concat('b').repeat(200_000))).toHaveLength(2_400_000)
  expect(redact('a'.repeat(2_000_000))).toHaveLength('[redacted]'.length * 50_000)
})
