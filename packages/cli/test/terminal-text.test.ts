import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'
import { TextView } from '../src/session/reply-views.js'
import { Printer } from '../src/terminal/printer.js'
import { escapeUnsafe, TerminalText, toTerminalText } from '../src/terminal/terminal-text.js'

const attacks: [what: string, text: string, shown: string][] = [
  ['clipboard (OSC 52)', 'a\u001b]52;c;ZXZpbA==\u0007b', 'ab'],
  [
    'hidden link (OSC 8)',
    '\u001b]8;;https://evil.example\u001b\\safe.example\u001b]8;;\u001b\\',
    'safe.example',
  ],
  ['title (OSC 0)', '\u001b]0;owned\u0007text', 'text'],
  ['cleared screen (CSI 2J)', 'a\u001b[2Jb', 'ab'],
  ['colours', '\u001b[31mred\u001b[0m', 'red'],
  ['8-bit CSI and OSC', '\u009b2Ja\u009d0;x\u009cb', 'ab'],
  ['device control string', '\u001bPq#0\u001b\\a', 'a'],
  ['character set', '\u001b(0lqk', 'lqk'],
  ['overwritten line', 'rm -rf /\recho hello', 'rm -rf /echo hello'],
  ['backspaces', 'evil\b\b\b\bgood', 'evilgood'],
  ['reversed order', 'a\u202egpj.exe', 'agpj.exe'],
  ['hidden tags', 'a\u{e0041}\u{e0042}b', 'ab'],
  ['never ended: only its line is lost', 'a\u001b]52;c;\nthe rest', 'a\nthe rest'],
  ['line feeds and tabs stay', 'a\n\tb\r\n', 'a\n\tb\n'],
  ['letters of the world stay', 'é 日本 👩‍💻 عربي', 'é 日本 👩‍💻 عربي'],
]

describe('text for a terminal', () => {
  test.each(attacks)('text for a terminal is made safe: %s', (_what, text, shown) => {
    expect(toTerminalText(text)).toBe(shown)
  })

  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(
      '\u001b',
      '[',
      ']',
      '52;c;',
      '\u0007',
      '\u009b',
      '\u001b\\',
      '\r',
      '\n',
      'm',
      '\u202e',
      'P',
    ),
  )

  test('text for a terminal holds nothing a terminal acts on, however it is cut', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const filter = new TerminalText()
        const streamed = pieces.map((one) => filter.push(one)).join('')
        expect(streamed).not.toMatch(
          // oxlint-disable-next-line no-control-regex -- these are what must not be there
          /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
        )
        expect(stripVTControlCharacters(streamed)).toBe(streamed)
        expect(streamed).toBe(toTerminalText(pieces.join('')))
      }),
      { numRuns: 2000 },
    )
  })

  test('in JSON it is escaped, and the value stays the same', () => {
    fc.assert(
      fc.property(
        fc.array(piece),
        fc.constantFrom('\u{e0041}', '\u009b', '\u202e', ''),
        (pieces, more) => {
          const value = { text: pieces.join('') + more }
          const json = escapeUnsafe(JSON.stringify(value))
          expect(JSON.parse(json)).toEqual(value)
          expect(toTerminalText(json)).toBe(json)
        },
      ),
    )
  })

  test('text for a terminal takes time in proportion to the text', () => {
    // By the square of its length it would take hours.
    expect(toTerminalText('\u001b]'.repeat(2_000_000) + 'x'.repeat(2_000_000))).not.toContain(
      '\u001b',
    )
  })
})

test('the line that moves while a tool runs says what the tool reports, without its control characters', () => {
  vi.useFakeTimers()
  try {
    const written: string[] = []
    const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
    output.on('data', (chunk: Buffer) => written.push(String(chunk)))
    const printer = new Printer(output, () => undefined)
    const view = new TextView({ out: printer, err: printer, reasoning: false, markdown: true })
    const at = { runId: 'r', step: 1, seq: 1, at: 0, actionId: 'a', tool: 'bake' }
    view.run({ ...at, type: 'tool-start', args: {} })
    view.run({ ...at, type: 'tool-progress', progress: 'two\u001b]0;trays\n' })
    vi.advanceTimersByTime(1100)
    view.run({ ...at, type: 'tool-result', args: {}, result: 'bread', latencyMs: 1 })
    view.end()
    expect(written.join('')).toContain('bake: two\\u001b]0;trays\\u000a 1 s')
    expect(written.join('')).not.toContain('\u001b]0;')
  } finally {
    vi.useRealTimers()
  }
})
