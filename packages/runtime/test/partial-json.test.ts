import { describe, expect, test, vi } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'
import { PartialJson } from '../src/output/partial-json.js'

const read = (...pieces: readonly string[]): unknown => {
  const json = new PartialJson()
  for (const piece of pieces) json.push(piece)
  return json.snapshot()
}

/** True if the earlier value can grow into the later one. */
function growsInto(early: unknown, late: unknown): boolean {
  if (typeof early === 'string' && typeof late === 'string') return late.startsWith(early)
  if (Array.isArray(early))
    return (
      Array.isArray(late) &&
      early.every((item, index) => growsInto(item, (late as unknown[])[index]))
    )
  if (typeof early === 'object' && early !== null)
    return (
      typeof late === 'object' &&
      late !== null &&
      Object.entries(early).every(([key, value]) =>
        growsInto(value, (late as Record<string, unknown>)[key]),
      )
    )
  return early === undefined || Object.is(early, late)
}

const roots = fc
  .oneof(
    fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })),
    fc.array(fc.jsonValue({ maxDepth: 4 })),
  )
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown)

describe('PartialJson', () => {
  test.each<[string, unknown]>([
    ['', undefined],
    ['Here it is: ', undefined],
    ['{', {}],
    ['{"a', {}],
    ['{"a": ', {}],
    ['{"a": 12', {}],
    ['{"a": 12,', { a: 12 }],
    ['{"a": tru', {}],
    ['{"a": "x\\u00', { a: 'x' }],
    ['{"a": "x\\u00e9', { a: 'xé' }],
    ['[1, [2, {"b": "c', [1, [2, { b: 'c' }]]],
    ['{"a": 1} and more', { a: 1 }],
    ['{"a": 1, oops', { a: 1 }],
    ['{"a": 01, "b": 2}', {}],
  ])('PartialJson reads %j as far as it is certain', (text, expected) => {
    expect(read(text)).toEqual(expected)
  })

  test('PartialJson reads any JSON, however it is split, and every snapshot grows into the next', () => {
    fc.assert(
      fc.property(
        roots,
        fc.integer({ min: 1, max: 7 }),
        fc.nat({ max: 2 }),
        (value, size, indent) => {
          const text = JSON.stringify(value, null, indent)
          const json = new PartialJson()
          let before: unknown
          for (let at = 0; at < text.length; at += size) {
            json.push(text.slice(at, at + size))
            const now = json.snapshot()
            expect(growsInto(before, now)).toBe(true)
            before = now
          }
          expect(before).toEqual(value)
          expect(json.isDone).toBe(true)
        },
      ),
    )
  })

  test('PartialJson reads any text without an error', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', 'a', '1', ' ', 'u0')),
        (parts) => {
          expect(() => read('{', ...parts)).not.toThrow()
        },
      ),
    )
  })

  test('PartialJson does not touch prototypes', () => {
    const value = read('{"__proto__": {"polluted": true}}') as object
    expect(Object.hasOwn(value, '__proto__')).toBe(true)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

test('PartialJson looks at each character of one delta a constant number of times, whatever its escapes are', () => {
  const search = Reflect.get(RegExp.prototype, 'exec')
  const find = Reflect.get(String.prototype, 'indexOf')
  let work = 0
  vi.spyOn(RegExp.prototype, 'exec').mockImplementation(function (this: RegExp, text) {
    const from = this.lastIndex
    const found = Reflect.apply(search, this, [text])
    work += (found?.index ?? text.length) - from
    return found
  })
  vi.spyOn(String.prototype, 'indexOf').mockImplementation(function (this: string, ...given) {
    const place = Reflect.apply(find, this, given)
    work += (place < 0 ? this.length : place) - (given[1] ?? 0)
    return place
  })
  const workFor = (escapes: number): number => {
    const before = work
    new PartialJson().push(`{"a":"${'\\n'.repeat(escapes)}`)
    return work - before
  }
  try {
    expect(workFor(4000)).toBeLessThan(workFor(1000) * 5 + 1000)
  } finally {
    vi.restoreAllMocks()
  }
})
