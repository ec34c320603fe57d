import { parseJson, type WireRecord } from '@modelport/driver'
import { describe, expect, test } from 'vitest'
import { reportFault } from '../../../test/support/faults.js'
import { createFramer } from '../src/framing/framing.js'
import { LineSplitter } from '../src/framing/lines.js'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const mib = 1024 * 1024

function lines(chunks: readonly Uint8Array[], maxBytes = mib): string[] {
  const found: string[] = []
  const splitter = new LineSplitter(
    (text, start, end) => found.push(text.slice(start, end)),
    maxBytes,
  )
  for (const chunk of chunks) splitter.push(chunk)
  splitter.end()
  return found
}

interface Framed {
  readonly records: WireRecord[]
  readonly cut: boolean
}

function frame(
  framing: 'sse' | 'ndjson' | 'lines' | 'json',
  chunks: readonly Uint8Array[],
  maxEventBytes = mib,
): Framed {
  const records: WireRecord[] = []
  const contentType = framing === 'json' ? 'application/json' : ''
  const choice = {
    framing: framing === 'json' ? ('sse' as const) : framing,
    stream: framing !== 'json',
    contentType,
    maxEventBytes,
  }
  const framer = createFramer(choice, (record) => records.push(record))
  for (const chunk of chunks) framer.push(chunk)
  framer.end()
  return { records, cut: framer.cut }
}

/** The bytes whole, each single one, cut in two everywhere, and in three at many places. */
function* splits(bytes: Uint8Array): Generator<Uint8Array[]> {
  yield [bytes]
  yield Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
  for (let a = 0; a <= bytes.length; a++) yield [bytes.subarray(0, a), bytes.subarray(a)]
  for (let a = 0; a <= bytes.length; a += 3) {
    for (let b = a; b <= bytes.length; b += 2)
      yield [bytes.subarray(0, a), bytes.subarray(a, b), bytes.subarray(b)]
  }
}

describe('lines', () => {
  const text = 'eins\nzwölf\r\n\r\ndrei\r\r日本\n\n👩‍🚀 fin'
  const expected = ['eins', 'zwölf', '', 'drei', '', '日本', '', '👩‍🚀 fin']

  test('LF, CR and CRLF end a line, wherever the bytes are split', () => {
    for (const chunks of splits(encode(text))) expect(lines(chunks)).toEqual(expected)
  })

  test('a CR at the end of a chunk and the LF of the next are one end', () => {
    expect(lines([encode('a\r'), encode('\nb')])).toEqual(['a', 'b'])
    expect(lines([encode('a\r'), encode('b\r'), encode('\r\n')])).toEqual(['a', 'b', ''])
    expect(lines([encode('a\r'), encode(''), encode('\n'), encode('\nb')])).toEqual(['a', '', 'b'])
  })

  test.each(['\n', '\r', '\r\n'])('a line is given out as soon as its end %j is there', (end) => {
    const found: string[] = []
    const splitter = new LineSplitter((text, start, to) => found.push(text.slice(start, to)), mib)
    splitter.push(encode(`a\nb${end}c`))
    expect(found).toEqual(['a', 'b'])
    splitter.push(encode(`d${end}`))
    expect(found).toEqual(['a', 'b', 'cd'])
  })

  test('one byte order mark at the start is dropped, none elsewhere', () => {
    for (const chunks of splits(encode('\ufeff\ufeffa\n\ufeffb\n')))
      expect(lines(chunks)).toEqual(['\ufeffa', '\ufeffb'])
    for (const chunks of splits(encode('\ufeff\na'))) expect(lines(chunks)).toEqual(['', 'a'])
    for (const chunks of splits(encode('\ufeffonly'))) expect(lines(chunks)).toEqual(['only'])
  })

  test('a line longer than the limit is refused, in one chunk more than the limit or many', () => {
    const long = encode('x'.repeat(2000))
    expect(() => lines([long], 1000)).toThrow(expect.objectContaining({ code: 'limit-exceeded' }))
    expect(() =>
      lines(
        Array.from(long, (byte) => Uint8Array.of(byte)),
        1000,
      ),
    ).toThrow(expect.objectContaining({ code: 'limit-exceeded' }))
    expect(lines([encode('x'.repeat(1000))], 1000)).toEqual(['x'.repeat(1000)])
    expect(
      lines(
        Array.from({ length: 50 }, () => encode(`${'y'.repeat(99)}\n`)),
        1000,
      ),
    ).toHaveLength(50)
  })

  test.each([
    [[0xff, 10]],
    [[0xc3, 10]],
    [[0xed, 0xa0, 0x80, 10]],
    [[0xf0, 0x9f, 10]],
    [[0x61, 0x80, 10]],
    [[0xc0, 0xaf, 10]],
  ])('invalid UTF-8 %j is refused', (bytes) => {
    expect(() => lines([Uint8Array.from(bytes)])).toThrow(
      expect.objectContaining({ code: 'protocol', message: 'the body is not valid UTF-8' }),
    )
  })

  test('a chunk may be reused by its sender', () => {
    const reused = new Uint8Array(4)
    const found: string[] = []
    const splitter = new LineSplitter((text, start, end) => found.push(text.slice(start, end)), mib)
    for (const piece of ['abcd', 'efgh', 'ij\nk']) {
      reused.set(encode(piece))
      splitter.push(reused)
    }
    splitter.end()
    expect(found).toEqual(['abcdefghij', 'k'])
  })

  test('one long line in many chunks takes linear time', () => {
    // Half a million chunks: copied anew for each, they would come to eight terabytes.
    const chunk = encode('x'.repeat(64))
    expect(
      lines(
        [...Array.from({ length: (32 * mib) / chunk.length }, () => chunk), encode('\n')],
        64 * mib,
      )[0],
    ).toHaveLength(32 * mib)
  })
})

describe('server-sent events', () => {
  // After the examples of the WHATWG HTML standard, section 9.2.6, and the web platform tests
  // "format-*".
  const cases: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
    ['data: YHOO\ndata: +2\ndata: 10\n\n', [['', 'YHOO\n+2\n10']]],
    [
      ': test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n',
      [
        ['', 'first event'],
        ['', 'second event'],
        ['', ' third event'],
      ],
    ],
    [
      'data\n\ndata\ndata\n\ndata:\n\n',
      [
        ['', ''],
        ['', '\n'],
        ['', ''],
      ],
    ],
    [
      'data:test\n\ndata: test\n\n',
      [
        ['', 'test'],
        ['', 'test'],
      ],
    ],
    [
      'event: one\ndata: 1\n\ndata: 2\n\nevent:two\ndata:3\n\n',
      [
        ['one', '1'],
        ['', '2'],
        ['two', '3'],
      ],
    ],
    ['event: none\n\ndata: x\n\n', [['', 'x']]],
    [
      'event: one\r\ndata: 1\r\n\r\nevent:two\rdata:2\r\r',
      [
        ['one', '1'],
        ['two', '2'],
      ],
    ],
    [
      'event: one\n: comment\nid: 1\nevents: 2\ndata: x\n\nevent: one\nevent\ndata: x\n\n',
      [
        ['one', 'x'],
        ['', 'x'],
      ],
    ],
    ['data:\0\ndata:  2\nData:1\ndata\0:2\n:2\nretry: x\ndata:4\n\n', [['', '\0\n 2\n4']]],
    ['id: a\0b\ndata: x\n\n', [['', 'x']]],
    [
      'data: a\r\ndata: b\r\n\r\ndata: c\r\rdata: d\n\n',
      [
        ['', 'a\nb'],
        ['', 'c'],
        ['', 'd'],
      ],
    ],
    [
      '\ufeffdata: 1\n\n\ufeffdata: 2\n\ndata: 3\n\n',
      [
        ['', '1'],
        ['', '3'],
      ],
    ],
    ['data: {"a":"b: c"}\n\n', [['', '{"a":"b: c"}']]],
    ['\n\n\n', []],
  ]

  test.each(cases)('server-sent events are read from %j', (text, expected) => {
    for (const chunks of splits(encode(text))) {
      const { records, cut } = frame('sse', chunks)
      expect(records.map(({ event, data }) => [event, data])).toEqual(expected)
      expect(cut).toBe(false)
    }
    reportFault('S8', { 'cases of the standard': 1 })
  })

  test.each(['data', 'event'])(
    'a field whose name is %s but for a character is another',
    (name) => {
      const line = `${name}: y`
      for (let at = 0; at <= name.length; at++) {
        const other = `${line.slice(0, at)}x${line.slice(at + 1)}`
        for (const end of ['\n', '\r\n']) {
          expect(frame('sse', [encode(`${other}${end}data: 1${end}${end}`)]).records).toEqual([
            { event: '', data: '1' },
          ])
        }
      }
    },
  )

  test('a last event without its blank line is emitted, marked as unterminated, which is the one deviation', () => {
    expect(frame('sse', [encode('data: a\n\ndata: b')])).toEqual({
      records: [
        { event: '', data: 'a' },
        { event: '', data: 'b', unterminated: true },
      ],
      cut: true,
    })
    expect(frame('sse', [encode('data: a\n')]).cut).toBe(true)
    expect(frame('sse', [encode('data: a\n\n: bye')]).cut).toBe(true)
  })

  test('an event longer than the limit is refused, in one line or many', () => {
    const refused = expect.objectContaining({ code: 'limit-exceeded' }) as unknown
    expect(() =>
      frame(
        'sse',
        Array.from({ length: 100 }, () => encode(`data: ${'x'.repeat(90)}\n`)),
        1000,
      ),
    ).toThrow(refused)
    expect(() =>
      frame(
        'sse',
        Array.from({ length: 20 }, () => encode('x'.repeat(90))),
        1000,
      ),
    ).toThrow(refused)
  })
})

describe('NDJSON', () => {
  test('NDJSON has one value a line, empty lines skipped, however it is split', () => {
    for (const chunks of splits(encode('{"a":"ö"}\n\n  \r\n{"b":2}\r\n{"c":3}'))) {
      const { records, cut } = frame('ndjson', chunks)
      expect(records.map(({ data }) => data)).toEqual(['{"a":"ö"}', '{"b":2}', '{"c":3}'])
      expect(cut).toBe(true)
    }
  })

  test('lines of more than 64 KiB work', () => {
    const line = JSON.stringify({ text: 'ż'.repeat(100_000) })
    expect(frame('ndjson', [encode(`${line}\n`)])).toEqual({
      records: [{ event: '', data: line }],
      cut: false,
    })
  })
})

describe('whole bodies', () => {
  test('a whole body gives one record at the end, however it is split; an empty body gives none', () => {
    const text = '\ufeff{"a":"👩‍🚀 ö"}'
    for (const chunks of splits(encode(text)))
      expect(frame('json', chunks)).toEqual({
        records: [{ event: '', data: text.slice(1), whole: true }],
        cut: false,
      })
    expect(frame('json', [])).toEqual({ records: [], cut: false })
    expect(frame('json', [encode(' \n')]).records).toEqual([])
  })

  test('a body that stops inside its value is cut, another text is not', () => {
    const isCut = (text: string): boolean => {
      const choice = { framing: 'sse' as const, stream: false, contentType: '', maxEventBytes: mib }
      const framer = createFramer(choice, ({ data }) => parseJson(data))
      framer.push(encode(text))
      expect(() => framer.end()).toThrow(expect.objectContaining({ code: 'protocol' }))
      return framer.cut
    }
    for (const text of ['{"a":"b', '\n [1,']) expect(isCut(text)).toBe(true)
    for (const text of ['oops', 'oops {', 'oops{']) expect(isCut(text)).toBe(false)
  })

  test('a body that stops inside a character is cut, a wrong byte is not', () => {
    const bytes = encode('{"a":"ö"}')
    const framerOf = (): ReturnType<typeof createFramer> =>
      createFramer(
        { framing: 'sse', stream: false, contentType: '', maxEventBytes: mib },
        () => undefined,
      )
    const stopped = framerOf()
    stopped.push(bytes.subarray(0, 7))
    expect(() => stopped.end()).toThrow(expect.objectContaining({ code: 'protocol' }))
    expect(stopped.cut).toBe(true)
    const wrong = framerOf()
    expect(() => wrong.push(Uint8Array.of(0x22, 0xff, 0x22))).toThrow(
      expect.objectContaining({ code: 'protocol' }),
    )
    expect(wrong.cut).toBe(false)
  })

  test('a web page is refused whatever was asked for', () => {
    for (const stream of [true, false]) {
      const choice = {
        framing: 'ndjson' as const,
        stream,
        contentType: 'Text/HTML; charset=utf-8',
        maxEventBytes: mib,
      }
      expect(() => createFramer(choice, () => undefined)).toThrow(
        expect.objectContaining({
          code: 'protocol',
          message: 'the server returned a web page; check the base URL and any proxy in between',
        }),
      )
    }
  })

  test('a stream that was asked for and comes as one JSON value is read as one', () => {
    const records: WireRecord[] = []
    const framer = createFramer(
      { framing: 'sse', stream: true, contentType: 'application/json', maxEventBytes: mib },
      (record) => records.push(record),
    )
    framer.push(encode('{"error":{}}'))
    framer.end()
    expect(records).toEqual([{ event: '', data: '{"error":{}}', whole: true }])
  })
})

describe('lines of text', () => {
  test('every line is a record, empty ones too, and the last one says whether it is cut', () => {
    expect(frame('lines', [encode('a {\n\nb'), encode(' c\n')])).toEqual({
      records: [
        { event: '', data: 'a {' },
        { event: '', data: '' },
        { event: '', data: 'b c' },
      ],
      cut: false,
    })
    expect(frame('lines', [encode('a\nb')])).toEqual({
      records: [
        { event: '', data: 'a' },
        { event: '', data: 'b', unterminated: true },
      ],
      cut: true,
    })
    expect(frame('ndjson', [encode('{}\n{')]).records).toEqual([
      { event: '', data: '{}' },
      { event: '', data: '{', unterminated: true },
    ])
  })

  test('a reply that is not streamed is one record of any text', () => {
    const records: WireRecord[] = []
    const choice = {
      framing: 'lines' as const,
      stream: false,
      contentType: 'text/plain',
      maxEventBytes: mib,
    }
    const framer = createFramer(choice, (record) => records.push(record))
    framer.push(encode('text Hello\n.\n'))
    framer.end()
    expect(records).toEqual([{ event: '', data: 'text Hello\n.\n', whole: true }])
  })
})
