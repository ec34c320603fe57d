import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { enums, shapes } from '../../src/wire/a2a/shapes.js'

const proto = new URL('../../../../../shared/reference/a2a/a2a.proto', import.meta.url)
const isThere = existsSync(proto)
if (!isThere) console.log(`skipped: the normative proto is not at ${proto.pathname}`)

/** The messages of the proto as the table writes them. */
function messagesOf(source: string): ReadonlyMap<string, readonly string[]> {
  const text = source.replaceAll(/\/\/.*$/gm, '')
  const found = new Map<string, readonly string[]>()
  for (const [, name = '', body = ''] of text.matchAll(/^message (\w+) \{\n([\s\S]*?)^\}/gm)) {
    const oneof = /oneof \w+ \{([\s\S]*?)\n {2}\}/.exec(body)?.[1] ?? ''
    const fields = body.matchAll(/^\s+(optional |repeated )?([\w.]+|map<string, [\w.]+>) (\w+) = \d+( \[[^\]]*\])?;/gm)
    found.set(
      name,
      Array.from(fields, ([line, mark, type = '', field = '', options = '']) => {
        const json = field.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
        const marks = [
          options.includes('REQUIRED') && '!',
          mark === 'optional ' && '?',
          mark === 'repeated ' && '[]',
          type.startsWith('map<') && '{}',
          oneof.includes(line.trim()) && '|',
        ]
        return `${json}${marks.filter(Boolean).join('')}:${type.replace(/^map<string, (.*)>$/, '$1').replace('google.protobuf.', '')}`
      }),
    )
  }
  return found
}

describe('the table of A2A messages', () => {
  it.runIf(isThere)('has exactly the messages and fields of the normative proto', () => {
    const expected = messagesOf(readFileSync(proto, 'utf8'))
    expect([...shapes.keys()].sort()).toEqual([...expected.keys()].sort())
    for (const [name, fields] of shapes) {
      const found = fields.map(({ name: field, type, required, optional, repeated, map, oneof }) => {
        const marks = [required && '!', optional && '?', repeated && '[]', map && '{}', oneof && '|']
        return `${field}${marks.filter(Boolean).join('')}:${type}`
      })
      expect(found.sort(), name).toEqual([...(expected.get(name) ?? [])].sort())
    }
  })

  it.runIf(isThere)('has exactly the values of the enums of the normative proto', () => {
    const text = readFileSync(proto, 'utf8')
    for (const [name, values] of Object.entries(enums)) {
      const [, body = ''] = new RegExp(`^enum ${name} \\{\\n([\\s\\S]*?)^\\}`, 'm').exec(text) ?? []
      expect(Array.from(body.matchAll(/^\s+([A-Z_]+) = \d+;/gm), ([, value]) => value)).toEqual(values)
    }
  })

  it.runIf(isThere)('names fields so that both spellings are derived', () => {
    for (const fields of shapes.values())
      for (const { name, protoName } of fields)
        expect(protoName.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())).toBe(name)
  })
})
