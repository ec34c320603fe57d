/**
 * The forms in which a text may contain a secret: plain, percent-encoded, hex, base64 at any offset
 * within longer data, base64 of that base64, and base64url of both.
 */
export function encodedForms(secret: string): Set<string> {
  const binary = toBinary(secret)
  const once = base64Forms(binary)
  const base64 = [...once, ...once.flatMap(base64Forms)]
  return new Set([
    secret,
    encodeURIComponent(secret.replace(/\p{Surrogate}/gu, '\ufffd')),
    Array.from(binary, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join(''),
    ...base64,
    ...base64.map((form) => withoutPadding(form).replaceAll('+', '-').replaceAll('/', '_')),
  ])
}

/** UTF-8 as a string of one character for each byte. */
function toBinary(text: string): string {
  let binary = ''
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte)
  return binary
}

/**
 * The base64 of the bytes, and for each of the three offsets they may have in longer data the part
 * that does not depend on their neighbours.
 */
function base64Forms(binary: string): string[] {
  const forms = [btoa(binary)]
  for (let offset = 0; offset < 3; offset++) {
    const text = withoutPadding(btoa('\0'.repeat(offset) + binary))
    forms.push(
      text.slice(Math.ceil((offset * 4) / 3), (binary.length + offset) % 3 ? -1 : undefined),
    )
  }
  return forms
}

const withoutPadding = (base64: string): string => base64.replaceAll('=', '')
