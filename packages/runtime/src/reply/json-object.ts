import { isObject, pollutes } from '@modelport/core'

/** The one JSON object of a text, or why there is none. */
export type FoundObject =
  | {
      readonly ok: true
      readonly value: Readonly<Record<string, unknown>>
      /** The repairs of the text; empty if it is strict JSON. */
      readonly repairs: readonly string[]
    }
  | { readonly ok: false; readonly message: string }

/** Longest text that is looked at. */
const mostCharacters = 1 << 20
/** Deepest nesting that is read. */
const deepest = 128
/** Text that may precede the JSON of a reply. */
const reasoningBlock = /^<(think|thinking|thought|reasoning)>/i

const no = (message: string): FoundObject => ({ ok: false, message })

/**
 * Finds the one JSON object a model's reply holds: the reply itself, or the only object in fences
 * or prose around it, after a leading reasoning block, with trailing commas taken out. Two objects
 * are refused, and so is one that is cut off: nothing is guessed.
 */
export function findJsonObject(text: string): FoundObject {
  if (text.length > mostCharacters)
    return no(`the reply is longer than ${mostCharacters} characters`)
  const whole = text.trim()
  if (whole === '') return no('the reply is empty')
  const strict = tryParse(whole)
  if (strict !== undefined) return accept(strict, whole, [])
  const body = withoutReasoning(whole)
  if (body === undefined)
    return no('unterminated leading reasoning block: close it, then give the JSON object')
  const repairs = body === whole ? [] : ['reasoning block removed']
  const rest = tryParse(body)
  if (rest !== undefined) return accept(rest, body, repairs)
  return findEmbedded(body, repairs)
}

function accept(value: unknown, text: string, repairs: readonly string[]): FoundObject {
  if (!isObject(value)) return no('the reply is JSON, but not an object')
  const end = endOfObject(text, 0)
  if (typeof end === 'string') return no(end)
  if (/proto|\\u/.test(text) && pollutes(value))
    return no('a key "__proto__" or "constructor.prototype" is refused')
  return { ok: true, value, repairs }
}

/**
 * The text of a reply that is prose: no JSON and no sign of a JSON object. Undefined for any other
 * reply.
 */
export function proseOf(reply: string): string | undefined {
  const text = withoutReasoning(reply.trim())
  return text && !/^\[|\{\s*["'}]/.test(text) ? text : undefined
}

/**
 * Takes a leading reasoning block out of a trimmed reply. Returns undefined if the block has no
 * end.
 */
export function withoutReasoning(text: string): string | undefined {
  const tag = reasoningBlock.exec(text)?.[1]
  if (tag === undefined) return text
  const end = new RegExp(`</${tag}>`, 'i').exec(text)
  return end ? text.slice(end.index + end[0].length).trim() : undefined
}

function findEmbedded(text: string, repairs: readonly string[]): FoundObject {
  const found: { readonly source: string; readonly value: unknown; readonly commas: boolean }[] = []
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at)) {
    // A brace in prose opens nothing; an object starts with a key or ends at once.
    if (!/^\{\s*["}]/.test(text.slice(at, at + 64))) {
      at++
      continue
    }
    const end = endOfObject(text, at)
    if (typeof end === 'string') return no(end)
    const source = text.slice(at, end)
    const strict = tryParse(source)
    const value = strict ?? tryParse(withoutTrailingCommas(source))
    if (value === undefined) return no('the JSON object is malformed')
    found.push({ source, value, commas: strict === undefined })
    at = end
  }
  const [only] = found
  if (!only) return no('there is no JSON object in the reply')
  if (found.length > 1)
    return no(`found ${found.length} valid top-level JSON objects; give exactly one`)
  const outside = only.source.length === text.length ? [] : ['text around the JSON object ignored']
  return accept(only.value, only.source, [
    ...repairs,
    ...outside,
    ...(only.commas ? ['trailing comma removed'] : []),
  ])
}

/** The index after the object that begins at `start`, or its problem. */
function endOfObject(text: string, start: number): number | string {
  let depth = 0
  let quoted = false
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (quoted) {
      if (code === 92) at++
      else if (code === 34) quoted = false
    } else if (code === 34) quoted = true
    else if (code === 123 || code === 91) {
      if (++depth > deepest) return `the JSON is nested deeper than ${deepest}`
    } else if ((code === 125 || code === 93) && --depth === 0) return at + 1
  }
  return 'the JSON object is cut off: it has no end'
}

function withoutTrailingCommas(text: string): string {
  let kept = ''
  let from = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (quoted) {
      if (code === 92) at++
      else if (code === 34) quoted = false
    } else if (code === 34) quoted = true
    else if (code === 44) {
      let next = at + 1
      while (' \t\r\n'.includes(text[next] ?? 'x')) next++
      if (text[next] !== '}' && text[next] !== ']') continue
      kept += text.slice(from, at)
      from = at + 1
    }
  }
  return kept + text.slice(from)
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
