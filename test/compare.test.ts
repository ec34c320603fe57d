import { describe, expect, test } from 'vitest'
import { peers, runPeer } from '../bench/src/compare/run-peer.js'
import { readText } from './support/repository.js'

test.each(peers)(
  'the adapter of $name plays a conversation of the conformance kit with tools',
  async (peer) => {
    const results = await runPeer(peer, 'round trip of a stream: two turns')
    expect(results).toEqual([{ title: 'L1 round trip of a stream: two turns', state: 'passed' }])
  },
)

describe('the tables of docs/compare.md', () => {
  const page = readText('docs/compare.md')
  const evidence = readText('evidence/compare-cells.md')

  const sectionOf = (text: string, title: string): string =>
    text.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? ''
  const rowsOf = (section: string): readonly (readonly string[])[] =>
    section
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )

  describe.each([
    'What modelport lacks',
    'What modelport has',
    'Frameworks for agents that live somewhere',
    'Engines for durable work',
  ])('under “%s”', (title) => {
    const [head = [], ...rows] = rowsOf(sectionOf(page, title))

    test('every cell of modelport says no or links to a page that says it', () => {
      for (const [name = '', own = ''] of rows) expect(own, name).toMatch(/^no$|\]\((?!http)/)
    })

    test('every cell about another library links to its documentation or says that none was found', () => {
      expect(rows.length).toBeGreaterThan(4)
      for (const [name = '', , ...others] of rows) {
        expect(others, name).toHaveLength(head.length - 2)
        for (const cell of others)
          expect(cell, name).toMatch(/^(?:none found|\[.+\]\(https:\/\/\S+\))$/)
      }
    })

    test('evidence/compare-cells.md says of every cell about another library how it was found', () => {
      const [, ...found] = rowsOf(sectionOf(evidence, title))
      const libraries = head.slice(2)
      const cells = rows.flatMap(([name]) => libraries.map((library) => [name, library]))
      expect(found.map(([name, library]) => [name, library])).toEqual(cells)
    })

    test('a cell says that none was found exactly if its evidence is a search', () => {
      const said = rows.flatMap(([, , ...others]) => others.map((cell) => cell === 'none found'))
      const [, ...found] = rowsOf(sectionOf(evidence, title))
      expect(found.map(([, , where]) => where === 'searched for')).toEqual(said)
    })
  })
})
