import { toPointerPart } from '@modelport/driver'
import type { CassetteRequest } from './cassette.js'

/**
 * What differs between two requests, a line each: where, what was expected, what was sent. Empty
 * when nothing does.
 */
export function diffRequests(expected: CassetteRequest, sent: CassetteRequest): string[] {
  const lines: string[] = []
  if (expected.method !== sent.method)
    lines.push(`method: expected ${expected.method}, sent ${sent.method}`)
  if (expected.url !== sent.url)
    lines.push(
      `url: expected ${show(expected.url, sent.url)}, sent ${show(sent.url, expected.url)}`,
    )
  for (const name of new Set([...Object.keys(expected.headers), ...Object.keys(sent.headers)])) {
    const before = expected.headers[name]
    const now = sent.headers[name]
    // A cassette does not say with which key, if any, a request was sent.
    const isKey = before === '[redacted]' || now === '[redacted]'
    if (before !== now && !isKey) lines.push(`header ${name}: ${differ(before, now)}`)
  }
  diffValues(expected.body, sent.body, '', lines)
  return lines
}

/** Differences of two JSON values by JSON pointer. */
function diffValues(expected: unknown, sent: unknown, pointer: string, lines: string[]): void {
  if (
    isContainer(expected) &&
    isContainer(sent) &&
    Array.isArray(expected) === Array.isArray(sent)
  ) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(sent)])) {
      diffValues(expected[key], sent[key], `${pointer}/${toPointerPart(key)}`, lines)
    }
  } else if (JSON.stringify(expected) !== JSON.stringify(sent)) {
    lines.push(`${pointer || 'body'}: ${differ(expected, sent)}`)
  }
}

const isContainer = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function differ(expected: unknown, sent: unknown): string {
  const before = textOf(expected)
  const now = textOf(sent)
  return `expected ${show(before, now)}, sent ${show(now, before)}`
}

const textOf = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value))

/** The text, or of a long one what lies around the first difference. */
function show(text: string, other: string): string {
  const most = 40
  if (text.length <= most) return text

  let same = 0
  while (same < text.length && text[same] === other[same]) same++
  const start = Math.max(0, same - 12)
  const end = start + most

  const before = start > 0 ? '…' : ''
  const after = end < text.length ? '…' : ''
  return `${before}${text.slice(start, end)}${after}`
}
