import { describe, expect, test } from 'vitest'
import { readText } from './support/repository.js'

const page = readText('docs/architecture.md')

/** The boxes of the drawings, with the file that the table below them names. */
const boxes = [...page.matchAll(/^\| `(\w+)` \| \[[^\]]+\]\(\.\.\/(packages\/[^)]+)\) \|$/gm)].map(
  ([, name = '', file = '']) => [name, file] as const,
)

/** The drawings of a section. */
const drawingsOf = (heading: string): string => {
  const [, section = ''] = page.split(`## ${heading}\n`)
  const [text = ''] = section.split(/^## /m)
  return [...text.matchAll(/^```\n(.*?)^```$/gms)].map(([, drawing]) => drawing).join('')
}

describe('the drawings of docs/architecture.md', () => {
  test.each(boxes)('the box %s is declared in %s', (name, file) => {
    expect(readText(file)).toMatch(new RegExp(`\\b(?:function|class|interface|const) ${name}\\b`))
  })

  test.each(['An effect, through its door', 'An approval, from the page to the tool'])(
    'every name in the drawing of "%s" has a file in the table',
    (heading) => {
      const drawing = drawingsOf(heading)
      const named = [...drawing.matchAll(/\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*)\b/g)]
      expect(named.length).toBeGreaterThan(4)
      const known = new Set(boxes.map(([name]) => name))
      expect(named.map(([name]) => name).filter((name) => !known.has(name))).toEqual([])
    },
  )
})
