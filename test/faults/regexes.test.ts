import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { fullSize, reportFault } from '../support/faults.js'
import { root } from '../support/repository.js'

interface Found {
  readonly where: string
  readonly regex: RegExp
}

/** Every regular expression in the sources of the packages that texts from outside come to. */
function regexes(): Found[] {
  const found: Found[] = []
  for (const path of globSync('packages/*/src/**/*.ts', {
    cwd: root,
    exclude: ['packages/conformance/**'],
  })) {
    const file = ts.createSourceFile(
      path,
      readFileSync(join(root, path), 'utf8'),
      ts.ScriptTarget.Latest,
      true,
    )
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? []
        found.push({
          where: `${path}:${file.getLineAndCharacterOfPosition(node.pos).line + 1} ${node.text}`,
          regex: new RegExp(source, flags),
        })
      }
      ts.forEachChild(node, visit)
    }
    visit(file)
  }
  return found
}

const length = 100_000
const fill = (piece: string): string =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length)

/**
 * Long texts of one kind, of pairs, and of the expression's own words, each with an end that fits
 * nothing.
 */
function attacks({ regex }: Found): string[] {
  const words = [...regex.source.matchAll(/[A-Za-z0-9 ,:;"'<>=_-]{1,20}/g)].map(([word]) => word)
  const single = [
    'a',
    'A',
    '0',
    ' ',
    '\t',
    '\n',
    '\r',
    '"',
    "'",
    '\\',
    '/',
    '-',
    '_',
    '.',
    ':',
    '{',
    '[',
    '<',
    '=',
    '%',
    '@',
    '\0',
    'ä',
    '👩',
  ]
  const pairs = [
    'a ',
    ' a',
    'a.',
    '0.',
    'a=',
    '" ',
    '\\"',
    '{"',
    '<a',
    '%2',
    ' \n',
    '\r\n',
    'a,b',
    '- ',
    '/a',
    'e0',
    '1e',
    '0,0',
    '`a`',
    '((',
  ]
  return [...single, ...pairs, ...words].flatMap((piece) => [
    fill(piece),
    `${fill(piece)}\u0001!`,
    `${words[0] ?? ''}${fill(piece)}\n!`,
  ])
}

/** The best of many, until one is good enough: the machine may do something else just then. */
function fastest(regex: RegExp, text: string, enough: number): number {
  let best = Infinity
  for (let run = 0; run < 30 && best > enough; run++) {
    const start = performance.now()
    text.replace(regex, '')
    best = Math.min(best, performance.now() - start)
  }
  return best
}

/**
 * How many times longer a text takes than one of a tenth of its length: about 10 where the time
 * grows with the length, about 100 where it grows by the square. A machine that is slow is slow
 * for both. Shorter texts come first: one that takes time by the square must not be waited for,
 * and nothing is compared that is over in `limit` milliseconds.
 */
function growthOf(regex: RegExp, text: string): number {
  for (const [size, limit] of [
    [1000, 5],
    [10_000, 10],
    ...(fullSize ? ([[length, 50]] as const) : []),
  ] as const) {
    const time = fastest(regex, text.slice(-size), limit)
    if (time <= limit) continue

    const growth = time / fastest(regex, text.slice(-size / 10), 0)
    if (growth > 40) return growth
  }
  return 0
}

test('no regular expression takes time by the square of its text, up to 100,000 characters', () => {
  const all = regexes()
  expect(all.length).toBeGreaterThan(50)

  let tried = 0
  const slow: string[] = []
  for (const found of all) {
    for (const text of attacks(found)) {
      const growth = growthOf(found.regex, text)
      tried++
      if (growth === 0) continue

      slow.push(
        `${found.where}: ${growth.toFixed(0)} times the time for 10 times the text ${JSON.stringify(text.slice(0, 30))}...`,
      )
      break
    }
  }
  expect(slow).toEqual([])
  reportFault('T4', { expressions: all.length, attacks: tried })
}, 300_000)
