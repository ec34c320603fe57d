import { decodeEscapes, type EscapedText, type Range } from './escaped-text.js'
import { encodedForms } from './secret-forms.js'

/** Replaces the secrets in a text. */
export type Redact = (text: string) => string

const mark = '[redacted]'
/** Shorter secrets would hit ordinary words. */
const shortestSecret = 4
/** A run of so many characters of a secret is redacted, wherever in the secret it is. */
const shortestRun = 12
/**
 * A run of 12 characters has groups of 6 at 7 consecutive positions, so that looking up every
 * seventh position finds one.
 */
const groupLength = 6
const stride = shortestRun - groupLength + 1
/** Characters that a run must have beyond the public start of a key, such as `sk-ant-api03-`. */
const leastBeyondPrefix = 4
/** How often texts are unescaped: JSON within JSON within a URL. */
const mostDecodings = 3
/** Maximum occurrences of one group that are tried: only a secret that repeats itself has more. */
const mostOccurrences = 8

/**
 * Makes a function that replaces secrets by `[redacted]`: whole secrets, and every run of at least
 * 12 characters of one, in upper or lower case. It finds them in base64 (also of base64),
 * base64url, hex, percent-encoding, JSON and HTML escapes too. Secrets shorter than 4 characters
 * are ignored; of those shorter than 12 only the whole is replaced. The time is linear in the
 * length of the text. A function that was made here stands for its secrets: several become one,
 * which reads a text once.
 */
export function createRedact(secrets: readonly (string | Redact | undefined)[]): Redact {
  const all = secrets.flatMap((secret) =>
    typeof secret === 'function' ? (secretsOf.get(secret) ?? secret) : secret,
  )
  const texts = [...new Set(all)].filter(
    (one) => typeof one === 'string' && one.length >= shortestSecret,
  ) as string[]
  const functions = all.filter((one) => typeof one === 'function')

  let matcher: SecretMatcher | undefined
  const redact = (text: string): string => {
    const clean = texts.length ? (matcher ??= new SecretMatcher(texts)).redact(text) : text
    return functions.reduce((result, another) => another(result), clean)
  }
  if (!functions.length) secretsOf.set(redact, texts)
  return redact
}

const secretsOf = new WeakMap<Redact, readonly string[]>()

/** An encoded form of a secret, in lower case, and the length of its public start. */
interface Form {
  readonly text: string
  readonly prefix: number
}

class SecretMatcher {
  /** Forms that are too short for runs: found as a whole, in their own case. */
  readonly #short: string[] = []
  /** The forms that contain a group of six characters, and where. */
  readonly #groups = new Map<string, { readonly form: Form; readonly at: number }[]>()
  /**
   * Marks of the beginnings of groups: most positions of a text have none, which is seen without
   * making a string.
   */
  readonly #beginnings = new Uint8Array(1 << 14)

  constructor(secrets: readonly string[]) {
    for (const secret of secrets) {
      const prefix = secret.slice(0, publicPrefix(secret))
      for (const text of encodedForms(secret)) {
        if (text.length < shortestRun) this.#short.push(text)
        else this.#add({ text: toLower(text), prefix: text.startsWith(prefix) ? prefix.length : 0 })
      }
    }
  }

  redact(text: string): string {
    const ranges: Range[] = []
    let view: EscapedText | undefined = { text }
    for (let decodings = 0; view && decodings <= mostDecodings; decodings++) {
      for (const part of [...this.#runs(toLower(view.text)), ...this.#whole(view.text)])
        ranges.push(view.toOriginal?.(part) ?? part)
      view = decodeEscapes(view)
    }
    return ranges.length ? replaceRanges(text, ranges) : text
  }

  #add(form: Form): void {
    for (let at = 0; at + groupLength <= form.text.length; at++) {
      const group = form.text.slice(at, at + groupLength)
      this.#beginnings[beginningOf(group, 0)] = 1
      const occurrences = this.#groups.get(group)
      if (!occurrences) this.#groups.set(group, [{ form, at }])
      else if (occurrences.length < mostOccurrences) occurrences.push({ form, at })
    }
  }

  #whole(text: string): Range[] {
    const ranges: Range[] = []
    for (const form of this.#short) {
      let start = text.indexOf(form)
      while (start >= 0) {
        const end = start + form.length
        ranges.push({ start, end })
        start = text.indexOf(form, end)
      }
    }
    return ranges
  }

  #runs(text: string): Range[] {
    const runs: Range[] = []
    let from = 0
    let at = 0
    while (at + groupLength <= text.length) {
      const run = this.#beginnings[beginningOf(text, at)] ? this.#runAt(text, at, from) : undefined
      if (run) {
        runs.push(run)
        from = run.end
        at = run.end
      } else at += stride
    }
    return runs
  }

  /** The longest run around the group at this position that begins at or after `from`. */
  #runAt(text: string, position: number, from: number): Range | undefined {
    const group = text.slice(position, position + groupLength)
    let longest: Range | undefined
    let longestLength = 0
    for (const { form, at } of this.#groups.get(group) ?? []) {
      // Outside of the form is undefined, which no character of the text equals.
      let before = 0
      while (position - before > from && text[position - before - 1] === form.text[at - before - 1])
        before++
      let after = groupLength
      while (position + after < text.length && text[position + after] === form.text[at + after])
        after++

      const length = before + after
      const leastEnd = form.prefix + Math.min(leastBeyondPrefix, form.prefix)
      if (length < shortestRun || at + after < leastEnd || length <= longestLength) continue
      longest = { start: position - before, end: position + after }
      longestLength = length
    }
    return longest && withoutSpaces(text, longest)
  }
}

/** A number of 14 bits for three characters. */
const beginningOf = (text: string, at: number): number =>
  (text.charCodeAt(at) ^ (text.charCodeAt(at + 1) << 4) ^ (text.charCodeAt(at + 2) << 8)) & 0x3fff

/**
 * Leaves out the spaces at both ends of a run: they belong to the text rather than to the secret.
 */
function withoutSpaces(text: string, { start, end }: Range): Range {
  const run = text.slice(start, end)
  return {
    start: start + run.length - run.trimStart().length,
    end: end - run.length + run.trimEnd().length,
  }
}

/** Lower case; of ASCII letters only, where others would change the length. */
function toLower(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length
    ? lower
    : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Length of the public start of a key: its scheme, and words like `sk-ant-api03-`. */
function publicPrefix(secret: string): number {
  const rest = secret.replace(/^(?:[a-z]{1,8} )?(?:[a-z]{1,8}\d{0,3}[-_]){0,4}/i, '')
  return rest.length >= shortestRun ? secret.length - rest.length : 0
}

/** Each range becomes a mark; ranges that overlap become one. */
function replaceRanges(text: string, ranges: Range[]): string {
  ranges.sort((a, b) => a.start - b.start)
  let clean = ''
  let copied = 0
  let end = -1
  for (const range of ranges) {
    if (range.start >= end) {
      clean += text.slice(copied, range.start) + mark
      end = range.end
    } else end = Math.max(end, range.end)
    copied = end
  }
  return clean + text.slice(copied)
}

/**
 * The secrets in headers: values of headers for keys, tokens or cookies, and values that look like
 * a key. Of each it returns the whole value, the part after its scheme, and its longer words.
 * Values of fewer than eight characters count only in headers for credentials.
 */
export function headerSecrets(headers: unknown): string[] {
  return Object.entries(headers ?? {}).flatMap(([name, any]) => {
    const value = String(any)
    const isCredential = /auth|key|token|secret|cookie|pass|credential|signature/i.test(name)
    if (!isCredential && !value.match(/[a-z\d]{20,}/gi)?.some((run) => /\d/.test(run))) return []
    const words = value.split(/[\s;,]/).map((word) => word.replace(/^[^=]+=(?=.)/, ''))
    const least = /authorization|api-?key|secret|pass/i.test(name) ? shortestSecret : 8
    return [
      ...[value, value.replace(/^\w+ /, '')].filter(({ length }) => length >= least),
      ...words.filter(({ length }) => length > 7),
    ]
  })
}
