import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const page = readFileSync(new URL('../../../evidence/a2a.md', import.meta.url), 'utf8')
const cells = page
  .split('\n')
  .filter((line) => /^\| [\d.]+ \|/.test(line))
  .map((line) => line.split(' | ').at(-1)?.replace(/ \|$/, '') ?? '')

describe('the page of A2A requirements', () => {
  it('the page of A2A requirements names only tests that exist', () => {
    const cited = cells.flatMap((cell) =>
      Array.from(
        cell.matchAll(/`([\w/-]+\.test\.ts)`: (.+?)(?=; `|$)/g),
        ([, file = '', title = '']) => ({
          file,
          title,
        }),
      ),
    )
    expect(cited.length).toBeGreaterThan(150)
    const missing = cited.filter(({ file, title }) => {
      const own = new URL(file, import.meta.url)
      const source = readFileSync(
        existsSync(own) ? own : new URL(`../../agent/test/${file}`, import.meta.url),
        'utf8',
      )
      return !source.includes(title) && !source.includes(title.replace(/ \([^()]*\)$/, ''))
    })
    expect(missing).toEqual([])
  })

  it('the page of A2A requirements says for each requirement how it is held, or why not', () => {
    expect(cells.length).toBeGreaterThan(250)
    expect(cells.filter((cell) => cell.length < 10)).toEqual([])
  })
})
