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
  const rowsOf = (title: string): readonly (readonly string[])[] => {
    const [, section = ''] = page.split(`## ${title}\n`)
    const lines = section.split('\n## ')[0]?.split('\n') ?? []
    return lines
      .filter((line) => line.startsWith('| '))
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )
  }

  test.each(['What modelport lacks', 'What modelport has'])(
    'under “%s”, every cell about another library links to its documentation or says that it was not checked',
    (title) => {
      const [head = [], ...rows] = rowsOf(title)
      expect(head).toHaveLength(6)
      expect(rows.length).toBeGreaterThan(10)
      for (const [name = '', own = '', ...others] of rows) {
        expect(own, name).toMatch(/^(?:no$|\[.+\]\((?!http))/)
        expect(others, name).toHaveLength(4)
        for (const cell of others)
          expect(cell, name).toMatch(/^(?:not checked|\[.+\]\(https:\/\/\S+\))$/)
      }
    },
  )
})
