/* eslint-disable modelport/plain-wording -- the samples are phrases that the rule has to find */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ESLint } from 'eslint'
import tseslint from 'typescript-eslint'
import { describe, expect, test } from 'vitest'
import { problemOf } from '../scripts/commit-subject.ts'
import { findPhrases } from '../scripts/lint/wording.ts'
import { repositoryFiles, root } from './support/repository.js'

const eslint = new ESLint({ cwd: root, overrideConfig: [tseslint.configs.disableTypeChecked] })

async function phrasesIn(code: string): Promise<string[]> {
  const [result] = await eslint.lintText(code, {
    filePath: join(root, 'packages/core/src/planted.ts'),
  })
  return result!.messages
    .filter(({ ruleId }) => ruleId === 'modelport/plain-wording')
    .map(({ message }) => /"(.*)" makes/.exec(message)![1]!)
}

describe('the lint rule plain-wording', () => {
  test.each([
    ['a line comment', '// A model that is none is refused here.\n', 'is none'],
    ['a doc comment', '/** Gives who waits what there is. */\n', 'Gives who waits'],
    ['a string', `const planted = 'this is no JSON'\n`, 'is no JSON'],
    ['a template', 'const planted = `${name} is told of by nobody`\n', 'told of'],
    ['the word beside', '// Tokens beside the prompt.\n', 'beside'],
    ['go on', '// The run goes on with the next call.\n', 'goes on'],
    ['a server that answers', '// Some servers answer with a bare list.\n', 'servers answer'],
    ['a thing to be had', `const planted = 'the program cannot be had'\n`, 'cannot be had'],
    ['a callback that hears', '// onRetry hears of each attempt.\n', 'hears of'],
    ['a round of calls', '// After three rounds of tool calls it ends.\n', 'rounds of tool calls'],
    ['a limit', '/** Most bytes of a body. */\n', 'Most bytes'],
    ['an owner without its thing', '/** Of the prompt. */\n', 'Of the'],
    ['what is at hand', '// The tools of the step at hand.\n', 'at hand'],
    ['no word for', '/** What the API has no word for. */\n', 'has no word for'],
  ])('the lint rule plain-wording finds a riddle in %s', async (_where, code, phrase) => {
    expect((await phrasesIn(code)).join()).toContain(phrase)
  })

  test('the lint rule plain-wording accepts good English that looks similar', async () => {
    const code = [
      '// There is no key. It is no longer used; the limit is no more than 3.',
      '// The caller who reads this waits. There are none left. Besides, it continues.',
      '// Ask whoever owns the key who may see it.',
    ].join('\n')
    expect(await phrasesIn(`${code}\n`)).toEqual([])
  })
})

describe('the lint rule test-title', () => {
  const titlesIn = async (code: string) => {
    const [result] = await eslint.lintText(code, {
      filePath: join(root, 'packages/core/test/planted.test.ts'),
    })
    return result!.messages.filter(({ ruleId }) => ruleId === 'modelport/test-title').length
  }

  test.each([
    "test('and every other', f)",
    "test.each(rows)('but not: %s', f)",
    'it(`also with ${name}`, f)',
    "test('that is cut rejects', f)",
    "test('of another form are refused', f)",
    "test('refuses an unknown option', f)",
    "test('are kept in order', f)",
    "test.each(rows)('%s', f)",
  ])('the lint rule test-title refuses the fragment in %s', async (code) => {
    expect(await titlesIn(`${code}\n`)).toBe(1)
  })

  test('the lint rule test-title accepts a sentence, and words that only begin like one of the fragments', async () => {
    expect(
      await titlesIn(
        "test('orders are kept', f)\ntest('runs that were started end', f)\ntest(or, f)\ntest('hashes agree', f)\n",
      ),
    ).toBe(0)
  })
})

describe('Markdown is plain English', () => {
  const pages = repositoryFiles().filter(
    (path) => path.endsWith('.md') && !path.includes('/fixtures/'),
  )
  test.each(pages)('%s has no phrase from the list', (page) => {
    const prose = readFileSync(join(root, page), 'utf8').replaceAll(/^```[^]*?^```/gm, '')
    expect(findPhrases(prose).map(({ phrase, advice }) => `${phrase}: ${advice}`)).toEqual([])
  })
})

test('"cancelled" has one spelling, but where a wire has its own', () => {
  // The wires of Anthropic, A2A and Protolink, and the state that may be given in both spellings.
  const wires = [
    'docs/compat.md',
    'docs/guides/batches.md',
    'evidence/a2a.md',
    'evidence/port-notes.md',
    'packages/agent/src/models/task.ts',
    'packages/compat/src/protolink/state-names.ts',
    'packages/provider-anthropic/src/batches.ts',
    'packages/serve/src/a2a/shapes.ts',
    'packages/serve/src/a2a/task-codec.ts',
    'packages/serve/src/a2a/types.ts',
  ]
  const files = repositoryFiles().filter(
    (path) =>
      /^packages\/[^/]+\/(?:src|README)|^(?:docs|evidence|examples)\/|^[^/]+\.md$/.test(path) &&
      !path.includes('/fixtures/'),
  )
  const found = files.filter((path) =>
    /cancel(?:ed|ing|er)(?![a-z])/i.test(readFileSync(join(root, path), 'utf8')),
  )
  expect(found.toSorted()).toEqual(wires)
})

describe('commit subjects', () => {
  test('the rule of commit subjects rejects a long subject and one without an area', () => {
    expect(problemOf(`driver: ${'x'.repeat(80)}`)).toContain('at most 72')
    expect(problemOf('Fixed the thing')).toContain('area: what changed')
  })

  test('the rule of commit subjects accepts an area, a colon and what changed', () => {
    expect(problemOf('driver: bound the text matched against error wordings')).toBeUndefined()
  })
})
