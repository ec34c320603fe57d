import { type Parsed, problem, quote } from './parser.js'
import { scanFences } from './tag-scan.js'

/**
 * The JSON value of a text: the whole text, its first `json` fence, or the first object or list in
 * it. The time is linear in the length.
 */
export function findJson(text: string): Parsed<unknown> {
  const trimmed = text.trim()
  const whole = tryParse(trimmed)
  if (whole.ok) return whole
  const fenced = trimmed.includes('```json')
    ? scanFences(trimmed).get('json')?.contents[0]
    : undefined
  if (fenced !== undefined) return tryParse(fenced)
  const start = trimmed.search(/[{[]/)
  if (start < 0)
    return problem(
      trimmed ? `expected JSON, found ${quote(trimmed)}` : 'expected JSON, found nothing',
    )
  const { end } = scan(trimmed, start)
  if (end === undefined)
    return problem('the JSON is cut off: a string, a list or an object is not closed')
  return tryParse(trimmed.slice(start, end))
}

/**
 * The value of a JSON text so far: open strings, lists and objects are closed. Undefined before the
 * first value.
 */
export function partialJson(text: string): unknown {
  const start = text.search(/[{[]/)
  if (start < 0) return undefined
  const { end, closers, inString, safeEnd } = scan(text, start)
  if (end !== undefined) return valueOf(text.slice(start, end))
  const open = text.slice(start)
  // An open string that is a value is shown so far; otherwise everything after the last complete
  // value is dropped.
  const shown = inString
    ? valueOf(`${open.replace(/\\(u[\da-fA-F]{0,3})?$/, '')}"${closers}`)
    : valueOf(open + closers)
  return shown ?? (safeEnd && valueOf(text.slice(start, safeEnd.at) + safeEnd.closers))
}

const tryParse = (text: string): Parsed<unknown> => {
  try {
    return { ok: true, value: JSON.parse(text) as unknown }
  } catch (error) {
    return problem(`the JSON is not valid: ${(error as Error).message}`)
  }
}

const valueOf = (text: string): unknown => {
  const parsed = tryParse(text)
  return parsed.ok ? parsed.value : undefined
}

interface Scan {
  /** After the value's last character; undefined when it is not complete. */
  readonly end?: number
  /** The text that closes everything that is open, except a string. */
  readonly closers: string
  readonly inString: boolean
  /** The last place after a complete entry, and the text that closes everything open there. */
  readonly safeEnd?: { readonly at: number; readonly closers: string }
}

/** Finds the end of the object or list that starts here, in one pass. */
function scan(text: string, start: number): Scan {
  const open: string[] = []
  let inString = false
  let safe: { at: number; depth: number } | undefined
  for (let at = start; at < text.length; at++) {
    const letter = text[at]
    if (inString) {
      if (letter === '\\') at++
      else if (letter === '"') inString = false
    } else if (letter === '"') inString = true
    else if (letter === '{' || letter === '[') {
      open.push(letter === '{' ? '}' : ']')
      safe = { at: at + 1, depth: open.length }
    } else if (letter === ',') safe = { at, depth: open.length }
    else if (letter === '}' || letter === ']') {
      open.pop()
      safe = { at: at + 1, depth: open.length }
      if (!open.length) return { end: at + 1, closers: '', inString: false }
    }
  }
  // Nothing closes between a safe place and the end of the text, or there would be a later safe
  // place.
  const closersOf = (depth: number): string => open.slice(0, depth).reverse().join('')
  return {
    closers: closersOf(open.length),
    inString,
    ...(safe && { safeEnd: { at: safe.at, closers: closersOf(safe.depth) } }),
  }
}
