/** Takes secrets out of text. */
export type Redact = (text: string) => string

const mark = '[redacted]'

/**
 * Makes a function that replaces every secret in a text: as it is, in base64 and base64url, URL-encoded, JSON-escaped, and any start
 * of it of at least 12 characters. Secrets shorter than 4 characters are not looked for: they would hit ordinary words.
 */
export function createRedact(secrets: readonly (string | undefined)[]): Redact {
  const forms = new Set<string>()
  for (const secret of secrets) if (secret && secret.length >= 4) for (const form of formsOf(secret)) forms.add(form)
  const ordered = [...forms].sort((a, b) => b.length - a.length)
  return (text) => {
    let clean = text
    for (const form of ordered) clean = clean.replaceAll(form, mark)
    for (const form of ordered) if (form.length > 12) clean = dropStarts(clean, form)
    return clean
  }
}

/** Replaces each start of the secret that has at least 12 characters, as long as it goes. */
function dropStarts(text: string, secret: string): string {
  const start = secret.slice(0, 12)
  let from = text.indexOf(start)
  let clean = ''
  let kept = 0
  while (from >= 0) {
    let end = from + start.length
    while (end - from < secret.length && text[end] === secret[end - from]) end++
    clean += text.slice(kept, from) + mark
    kept = end
    from = text.indexOf(start, end)
  }
  return clean + text.slice(kept)
}

/** A secret as other texts may hold it. Percent signs may come with small letters, base64 with the letters of addresses. */
function formsOf(secret: string): Set<string> {
  const encoded = encodeURIComponent(secret)
  const base64 = base64Forms(secret)
  return new Set([
    secret,
    JSON.stringify(secret).slice(1, -1),
    encoded,
    encoded.replace(/%../g, (byte) => byte.toLowerCase()),
    ...base64,
    ...base64.map((form) =>
      form
        .replace(/\+/g, '-')
        .replace(/\//g, '_')
        .replace(/(?<!=)=+$/, ''),
    ),
  ])
}

/** The base64 of a secret at each of the three offsets it may have inside a longer text, cut to what does not depend on it. */
function base64Forms(secret: string): string[] {
  let binary = ''
  for (const byte of new TextEncoder().encode(secret)) binary += String.fromCharCode(byte)
  const forms = [btoa(binary)]
  for (let offset = 0; offset < 3; offset++) {
    const text = btoa('\0'.repeat(offset) + binary).replace(/(?<!=)=+$/, '')
    forms.push(text.slice(Math.ceil((offset * 4) / 3), (binary.length + offset) % 3 ? -1 : undefined))
  }
  return forms
}

/**
 * What of headers must not be seen: of those that carry keys, tokens or cookies, and of values that look like a key, the value,
 * what comes after its scheme, and its longer words.
 */
export function headerSecrets(headers: unknown): string[] {
  return Object.entries(headers ?? {}).flatMap(([name, any]) => {
    const value = String(any)
    const known = /auth|key|token|secret|cookie|pass|credential|signature/i.test(name)
    if (!known && !value.match(/[a-z\d]{20,}/gi)?.some((run) => /\d/.test(run))) return []
    const words = value.split(/[\s;,]/).map((word) => word.replace(/^[^=]+=(?=.)/, ''))
    return [value, value.replace(/^\w+ /, ''), ...words.filter(({ length }) => length > 7)]
  })
}
