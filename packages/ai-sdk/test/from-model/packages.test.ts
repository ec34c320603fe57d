// Three packages of the AI SDK, each as a provider, held to the kit; and the page that says what it
// does not ask of them. After a change, write it anew: pnpm exec vitest run --project
// ai-sdk packages/ai-sdk/test/from-model/packages.test.ts --update
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromLanguageModel } from '@modelport/ai-sdk'
import { conformance } from '@modelport/conformance'
import { type CallOptions, mergeOptions } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { atSize, isFull } from '../../../../test/support/faults.js'
import { apiKey, packages } from './packages.js'

for (const { name, format, create, options, skip } of packages)
  conformance(
    // Readers, clocks and attempts are ours, as of every provider; the bytes are the package's.
    { describe, test, everyNthByte: atSize(256, 8), rules: isFull ? 'all' : 'wire' },
    {
      name,
      format,
      apiKey,
      skip,
      // The package has the connection.
      create: ({
        fetch,
        enforceHosts: _e,
        proxy: _p,
        onResponse: _r,
        lenientEof: _l,
        defaults,
        ...config
      }) =>
        fromLanguageModel(create(fetch), {
          secrets: [apiKey],
          defaults: mergeOptions(
            options,
            typeof defaults === 'string' ? words[defaults] : defaults,
          ),
          ...config,
        }),
    },
  )

/** What the words for defaults stand for. */
const words: Readonly<Record<'vendor' | 'reference', CallOptions>> = {
  vendor: { maxTokens: null, temperature: null },
  reference: { maxTokens: 4096, temperature: 0.7 },
}

/** Counts the tests of the kit. */
function titlesOf({ name, format, create, skip }: (typeof packages)[number]) {
  const asked: string[] = []
  const left: string[] = []
  const declare = Object.assign((title: string) => void asked.push(title), {
    skip: (title: string) => void left.push(title),
  })
  const runner = {
    describe: (_title: string, body: () => void) => {
      body()
    },
    test: declare,
  }
  conformance(runner, {
    name,
    format,
    apiKey,
    skip,
    create: ({ fetch }) => fromLanguageModel(create(fetch)),
  })
  return { asked, left }
}

const versionOf = (name: string): string => {
  const manifest = readFileSync(
    join(import.meta.dirname, `../../node_modules/${name}/package.json`),
    'utf8',
  )
  return (JSON.parse(manifest) as { version: string }).version
}

function toPage(): string {
  const sections = packages.map((each) => {
    const { asked, left } = titlesOf(each)
    const reasons = [...new Set(Object.values(each.skip))].sort()
    const of = (why: string): number => left.filter((title) => title.includes(why)).length
    const others = left.length - reasons.reduce((sum, why) => sum + of(why), 0)
    return [
      `## ${each.name} ${versionOf(each.name)}`,
      '',
      `\`${each.model}\`: ${asked.length} tests of the kit pass, ${left.length} are not asked.`,
      '',
      '| tests | why |',
      '|--:|---|',
      ...reasons.map((why) => `| ${of(why)} | ${why} |`),
      ...(others ? [`| ${others} | the API itself has no such thing |`] : []),
      '',
    ]
  })
  return [
    '# Packages of the AI SDK as providers',
    '',
    'After reading this page you know which rules of [the contract](../docs/contract.md) hold for a provider that `fromLanguageModel` of `@modelport/ai-sdk` makes of a model of the AI SDK.',
    '',
    'The conformance kit runs over `fromLanguageModel(model)` with three packages, against the wire servers of the kit. What a package does not let a',
    'provider promise is left out, for the reason given. The first word of a reason is what it is about:',
    '[what a model cannot tell a provider](../docs/guides/from-ai-sdk.md#what-a-model-of-the-ai-sdk-cannot-tell-a-provider). The test writes this page:',
    '`packages/ai-sdk/test/from-model/packages.test.ts`.',
    '',
    ...sections.flat(),
  ].join('\n')
}

describe('the page about packages of the AI SDK', () => {
  test('the page says what the kit does not ask of each package', async () => {
    await expect(toPage()).toMatchFileSnapshot(
      join(import.meta.dirname, '../../../../evidence/ai-sdk.md'),
    )
  })

  test('each reason is of a test of the kit', () => {
    const unknown = packages.flatMap((each) => {
      const { left } = titlesOf(each)
      return Object.keys(each.skip).filter((title) => !left.some((known) => known.includes(title)))
    })
    expect(unknown).toEqual([])
  })
})
