import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { suitePath } from '../../../../test/support/suites.js'
import { enums, shapes } from '../../src/a2a/shapes.js'

/**
 * The types that the official SDK generates from the proto: they say everything of a field but
 * whether it is REQUIRED.
 */
function sdkTypes(): string {
  const folder = dirname(createRequire(import.meta.url).resolve('@a2a-js/sdk'))
  const [file = ''] = readdirSync(folder).filter((name) => /^a2a-\w+\.d\.ts$/.test(name))
  const source = readFileSync(join(folder, file), 'utf8').replaceAll(
    /\/\*[\s\S]*?\*\/|\/\/.*$/gm,
    '',
  )
  return source.replaceAll(/\n(\s*\n)+/g, '\n')
}

const scalars: Readonly<Record<string, string>> = {
  number: 'int32',
  boolean: 'bool',
  any: 'Value',
  Buffer: 'bytes',
}
const structs = /^\{\s*\[key: string\]: any;\s*\}$/

/** The fields of the interfaces as the table writes them, without the mark of required fields. */
function fieldsOfSdk(source: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  const typeOf = (text: string): string => {
    const type = text.replace(/\s*\|\s*undefined$/, '').trim()
    return structs.test(type) ? 'Struct' : (scalars[type] ?? type)
  }
  for (const [, name = '', body = ''] of source.matchAll(/^interface (\w+) \{\n([\s\S]*?)^\}/gm)) {
    if (name.endsWith('Entry')) continue
    const fields: string[] = []
    for (const [, field = '', mark = '', text = ''] of body.matchAll(
      /^ {4}(\w+)(\??):([\s\S]*?);\n(?= {4}\w|$)/gm,
    )) {
      const members = [...text.matchAll(/\$case: "(\w+)";\s*value: ([\s\S]*?);\s*\}/g)]
      if (members.length)
        for (const [, member, type = ''] of members) fields.push(`${member}|:${typeOf(type)}`)
      else {
        const type = typeOf(text)
        const map = /^\{\s*\[key: string\]: (\w+);\s*\}$/.exec(type)?.[1]
        if (map) fields.push(`${field}{}:${map}`)
        else if (type.endsWith('[]')) fields.push(`${field}[]:${typeOf(type.slice(0, -2))}`)
        else fields.push(`${field}${mark}:${type}`)
      }
    }
    found.set(name, fields)
  }
  return found
}

/** The messages of the proto as the table writes them. */
function messagesOf(source: string): ReadonlyMap<string, readonly string[]> {
  const text = source.replaceAll(/\/\/.*$/gm, '')
  const found = new Map<string, readonly string[]>()
  for (const [, name = '', body = ''] of text.matchAll(/^message (\w+) \{\n([\s\S]*?)^\}/gm)) {
    const oneof = /oneof \w+ \{([\s\S]*?)\n {2}\}/.exec(body)?.[1] ?? ''
    const fields = body.matchAll(
      /^\s+(optional |repeated )?([\w.]+|map<string, [\w.]+>) (\w+) = \d+( \[[^\]]*\])?;/gm,
    )
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

const table = (withRequired: boolean): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    [...shapes].map(([name, fields]) => [
      name,
      fields
        .map(({ name: field, type, required, optional, repeated, map, oneof }) => {
          const marks = [
            withRequired && required && '!',
            optional && '?',
            repeated && '[]',
            map && '{}',
            oneof && '|',
          ]
          return `${field}${marks.filter(Boolean).join('')}:${type}`
        })
        .sort(),
    ]),
  )

const sorted = (messages: ReadonlyMap<string, readonly string[]>) =>
  Object.fromEntries([...messages].map(([name, fields]) => [name, [...fields].sort()]))

describe('the table of A2A messages', () => {
  it('the table of A2A messages has exactly the messages and fields of the official SDK', () => {
    // The SDK has a Date-free string for a Timestamp.
    const ours = JSON.parse(
      JSON.stringify(table(false)).replaceAll(':Timestamp', ':string'),
    ) as unknown
    expect(ours).toEqual(sorted(fieldsOfSdk(sdkTypes())))
  })

  it('the table of A2A messages has exactly the values of the enums of the official SDK', () => {
    const source = sdkTypes()
    for (const [name, values] of Object.entries(enums)) {
      const [, body = ''] =
        new RegExp(`^declare enum ${name} \\{\\n([\\s\\S]*?)^\\}`, 'm').exec(source) ?? []
      const found = Array.from(body.matchAll(/^\s+([A-Z_]+) = \d+/gm), ([, value]) => value)
      expect(found).toEqual(values)
    }
  })

  const proto = suitePath('a2a/a2a.proto')
  it.runIf(proto)(
    'the table of A2A messages has exactly the messages and fields of the normative proto',
    () => {
      expect(table(true)).toEqual(sorted(messagesOf(readFileSync(proto ?? '', 'utf8'))))
    },
  )

  it('the table of A2A messages names fields so that both spellings are derived', () => {
    for (const fields of shapes.values())
      for (const { name, protoName } of fields)
        expect(protoName.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())).toBe(
          name,
        )
  })
})
