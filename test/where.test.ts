import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readText, repositoryFiles } from './support/repository.js'

/** What a newcomer looks for, and what the file that the menu leads to must hold. */
const questions: readonly (readonly [asked: string, holds: string])[] = [
  ['a field of an A2A task', 'contextId'],
  ['a new option of a vendor', 'maxTokens'],
  ['the limit of steps', 'maxSteps'],
  ['a stored checkpoint', 'interface RunCheckpoint'],
  ['an API key', 'environmentPrefix'],
  ['the bytes of a reply', 'implements Decoder'],
]

test.each(questions)(
  'docs/README.md leads from the question about %s to its file',
  (asked, holds) => {
    const row = readText('docs/README.md')
      .split('\n')
      .find((line) => line.startsWith('|') && line.includes(asked))
    const [, link] = /\]\(([^)]+)\) \|$/.exec(row ?? '') ?? []
    expect(readText(join('docs', link ?? 'no such row'))).toContain(holds)
  },
)

/**
 * The sources that name an option. Vendor rows and the kit are left out: they are data of a vendor,
 * and the second opinion.
 */
const filesWith = (option: string): string[] =>
  repositoryFiles()
    .filter((path) => /^packages\/(?!catalog\/|conformance\/)[^/]+\/src\/.*\.tsx?$/.test(path))
    .filter((path) => new RegExp(`\\b${option}\\b`).test(readText(path)))
    .map((path) => path.slice('packages/'.length))

test('a call option is known in two files of core; of the others, each takes it for a purpose of its own', () => {
  const named = filesWith('topK')
  const isSent = (path: string): boolean => /^(?:provider-|chat-completions)/.test(path)
  expect(named.filter((path) => !isSent(path))).toEqual([
    'ai-sdk/src/call.ts',
    'ai-sdk/src/from-model/model-request.ts',
    'ai-sdk/src/refused-settings.ts',
    // What the AI SDK's own packages do with it, for their vendors.
    'ai-sdk/src/vendors/anthropic-rules.ts',
    'ai-sdk/src/vendors/cloud-rules.ts',
    'cli/src/commands/call-options.ts',
    'core/src/number-forms.ts',
    'core/src/options.ts',
    'runtime/src/telemetry/instrument-provider.ts',
  ])
})

test('a new call option needs two files of core, and one of each API: its request', () => {
  // What the command line offers and what telemetry reports is chosen option by option. The AI SDK
  // has options of its own; all others are `providerOptions.modelport`. One provider asks whether
  // the default temperature goes with it.
  const chosen = /^(?:ai-sdk|cli|runtime\/src\/telemetry|provider-[a-z]+\/src\/provider\.ts)/
  const named = filesWith('topP').filter((path) => !chosen.test(path))
  const isSent = (path: string): boolean => /^(?:provider-|chat-completions)/.test(path)

  expect(named.filter((path) => !isSent(path))).toEqual([
    'core/src/number-forms.ts',
    'core/src/options.ts',
  ])
  const packages = named.filter(isSent).map((path) => path.split('/')[0])
  expect(packages, 'a package has two files that name it').toEqual([...new Set(packages)])
})
