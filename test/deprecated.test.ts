// How something public goes: docs/semver.md.
import { expect, test } from 'vitest'
import { readText, repositoryFiles } from './support/repository.js'

/** A mark with the name that takes its place and the version in which the old one goes. */
const form = /^use (?:\{@link [\w.]+\}|`[^`]+`)[^.]*\. It goes in \d+\.\d+\.0\.$/

const marksOf = (text: string): readonly string[] =>
  [...text.matchAll(/@deprecated ([\s\S]*?)(?=\n\s*\*?\s*@|\s*\*\/)/g)].map(([, words = '']) =>
    words.replaceAll(/\s*\n\s*\*\s*/g, ' ').trim(),
  )

test('a mark of a deprecated name has its cure and the version in which it goes', () => {
  const sources = repositoryFiles().filter((path) => /^packages\/[^/]+\/src\/.*\.ts$/.test(path))
  expect(sources.length).toBeGreaterThan(500)

  const wrong = sources.flatMap((path) =>
    marksOf(readText(path))
      .filter((words) => !form.test(words))
      .map((words) => `${path}: ${words}`),
  )
  expect(wrong).toEqual([])
})

test('a mark without a cure, or without a version, is found', () => {
  const marks = marksOf(`
    /** @deprecated use {@link createMock}. It goes in 0.3.0. */
    /** @deprecated gone soon */
    /**
     * A name.
     * @deprecated use \`createMock\`.
     */
  `)
  expect(marks).toHaveLength(3)
  expect(marks.map((words) => form.test(words))).toEqual([true, false, false])
})
