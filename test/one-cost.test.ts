import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Exception } from '../scripts/exception.ts'

const packages = join(import.meta.dirname, '..', 'packages')

/** Where single prices are read. */
const exceptions: readonly Exception[] = [
  { where: 'core/src/prices.ts', why: 'computes' },
  { where: 'core/src/check-prices.ts', why: 'checks that they are numbers' },
  { where: 'cli/src/commands/models.ts', why: 'lists them' },
]

/** What code does that computes a cost of its own. */
const computations: readonly (readonly [what: string, pattern: RegExp])[] = [
  [
    'reads a single price',
    /\b(prices|tier|tariff)\??\.(input|output|cache(Read|Write)\w*|tiers)\b/,
  ],
  [
    'takes a single price out of prices',
    /\{[^{}]*\b(input|output|cacheRead|tiers)\b[^{}]*\}\s*=\s*[\w.]*prices\b/,
  ],
  [
    'multiplies with a price',
    /\*\s*\w*([pP]rice|[pP]erMillion)\w*\b|\b\w*(price|perMillion)\w*\s*\*/i,
  ],
  ['has a price of its own form', /(Cost|Price)PerMillion|cost_per_million/],
]

const sources = readdirSync(packages)
  .flatMap((name) =>
    readdirSync(join(packages, name, 'src'), { recursive: true, encoding: 'utf8' }).map((path) =>
      join(name, 'src', path),
    ),
  )
  .filter((path) => /\.tsx?$/.test(path))

const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')

const findings = (path: string, text: string): string[] =>
  computations.flatMap(([what, pattern]) =>
    pattern.test(withoutComments(text)) ? [`${path} ${what}`] : [],
  )

test('no source but core computes a cost from prices: all call usageCostOf or mostCostOf', () => {
  const found = sources
    .filter((path) => !exceptions.some(({ where }) => where === path))
    .flatMap((path) => findings(path, readFileSync(join(packages, path), 'utf8')))
  expect(found).toEqual([])
  expect(sources.length).toBeGreaterThan(500)
})

test.each([
  'const total = usage.inputTokens * prices.input',
  'const { input, output } = profile.prices',
  'return (tokens * inputPrice) / 1e6',
  'const { inputCostPerMillion } = profile',
])('a computation such as "%s" is found', (text) => {
  expect(findings('a.ts', text)).not.toEqual([])
})
