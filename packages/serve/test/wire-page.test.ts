import { readFileSync } from 'node:fs'
import type { Part } from '@modelport/agent'
import { describe, expect, it } from 'vitest'
import { fromA2aPart, toA2aPart } from '../src/a2a/task-codec.js'
import type { A2aPart } from '../src/a2a/types.js'
import { testServer } from './server/support.js'

const page = readFileSync(new URL('../../../docs/guides/wire-mapping.md', import.meta.url), 'utf8')

/**
 * The rows of the table whose first heading is this, by their first cell; the rest without
 * backticks.
 */
function tableOf(heading: string): ReadonlyMap<string, readonly string[]> {
  const [, body = ''] = page.split(`\n| ${heading} |`)
  const lines = body.split('\n').slice(2)
  const end = lines.findIndex((line) => !line.startsWith('|'))
  const rows = lines.slice(0, end).map((line) => line.slice(2, -2).split(' | '))
  return new Map(
    rows.map(([first = '', ...rest]) => [first, rest.map((cell) => cell.replaceAll('`', ''))]),
  )
}

const parts: readonly (readonly [row: string, part: Part])[] = [
  ['`text`', { type: 'text', content: 'hi' }],
  ['`json`', { type: 'json', content: { a: 1 } }],
  ['`json` that is not an object', { type: 'json', content: 7 }],
  ['`bytes`', { type: 'bytes', content: 'aGk=', mediaType: 'text/plain' }],
  ['`uri` with a file name', { type: 'uri', content: 'https://example.com/a', filename: 'a' }],
]

describe('the page of the wire mapping', () => {
  it.each(parts)(
    'the page of the wire mapping shows the part %s as the codec writes it, and it reads it back',
    (row, part) => {
      const [cell = ''] = tableOf('part').get(row) ?? []
      expect(JSON.parse(cell)).toEqual(toA2aPart(part))
      expect(fromA2aPart(JSON.parse(cell) as A2aPart)).toEqual(part)
    },
  )

  it('the page of the wire mapping names every operation of both bindings, and the server has each', async () => {
    const { server, rpc } = testServer()
    const own = new Set(
      server
        .describeEndpoints()
        .filter(
          ({ wire, path }) =>
            wire.startsWith('A2A') && !path.startsWith('/{tenant}') && path !== '/',
        )
        .map(({ method, path }) => `${method} ${path}`),
    )
    own.delete('GET /.well-known/agent-card.json')
    const rows = [...tableOf('operation').values()]
    expect(rows).toHaveLength(11)
    for (const [method = '', path = ''] of rows) {
      expect([path, own.delete(path)]).toEqual([path, true])
      expect((await rpc(method, {})).error?.code).not.toBe(-32601)
    }
    // The page says that a subscription is also accepted as POST.
    expect([...own]).toEqual(['POST /tasks/{id}:subscribe'])
  })
})
