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
    const wanted = expected.headers[name]
    const found = sent.headers[name]
    // With which key, if any, is not for a cassette to say.
    if (wanted !== found && wanted !== '[redacted]' && found !== '[redacted]')
      lines.push(`header ${name}: ${differ(wanted, found)}`)
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
  const [wanted = 'nothing', found = 'nothing'] = [expected, sent].map(
    (value) => JSON.stringify(value) as string | undefined,
  )
  return `expected ${show(wanted, found)}, sent ${show(found, wanted)}`
}

/** The text, or of a long one what lies around the first difference. */
function show(text: string, other: string): string {
  const most = 40
  if (text.length <= most) return text
  let same = 0
  while (same < text.length && text[same] === other[same]) same++
  const start = Math.max(0, same - 12)
  return `${start > 0 ? '…' : ''}${text.slice(start, start + most)}${start + most < text.length ? '…' : ''}`
}
