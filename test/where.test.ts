import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readText } from './support/repository.js'

/** What a newcomer looks for, and what the file that the menu leads to must hold. */
const questions: readonly (readonly [asked: string, holds: string])[] = [
  ['a field of an A2A task', 'contextId'],
  ['a new option of a vendor', 'maxTokens'],
  ['the limit of steps', 'maxSteps'],
  ['a stored checkpoint', 'interface RunCheckpoint'],
  ['an API key', 'environmentPrefix'],
  ['the bytes of a reply', 'implements Decoder'],
]

test.each(questions)('docs/README.md leads from the question about %s to its file', (asked, holds) => {
  const row = readText('docs/README.md')
    .split('\n')
    .find((line) => line.startsWith('|') && line.includes(asked))
  const [, link] = /\]\(([^)]+)\) \|$/.exec(row ?? '') ?? []
  expect(readText(join('docs', link ?? 'no such row'))).toContain(holds)
})
