// A tool is called in one file; whatever wraps a tool says so where it calls the one it wraps. What
// an agent asks a model goes through a run.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const packages = fileURLToPath(new URL('../packages/', import.meta.url))

const sources = readdirSync(packages)
  .flatMap((name) =>
    readdirSync(`${packages}${name}`).includes('src')
      ? readdirSync(`${packages}${name}/src`, { recursive: true, encoding: 'utf8' }).map(
          (file) => `${name}/src/${file}`,
        )
      : [],
  )
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => ({ file, text: readFileSync(`${packages}${file}`, 'utf8') }))

/** The calls of `execute` that the lint lets pass, with what they say. */
const exceptions = sources.flatMap(({ file, text }) =>
  text
    .split('\n')
    .flatMap((line, index, lines) =>
      line.includes('no-restricted-syntax -- ') && lines[index + 1]?.includes('.execute(')
        ? [`${file}: ${line.split(' -- ')[1] ?? ''}`]
        : [],
    ),
)

test('a tool is called in one file; the other calls are those of wrappers', () => {
  expect(exceptions.sort()).toEqual([
    'agent/src/run/pending-work.ts: a wrapper: the run calls it',
    'cli/src/tools/tool-module.ts: what a tool is made of',
    'cli/src/tools/tool-module.ts: what a tool is made of',
    'runtime/src/engines/every-crash.ts: the tool that it stands for',
    'runtime/src/loop/state/eager-calls.ts: the tool that it stands for',
    'runtime/src/loop/state/eager-calls.ts: the tool that it stands for',
    'runtime/src/tools/define-tool.ts: what a tool is made of',
    'runtime/src/tools/tool-run.ts: the one place that calls a tool',
  ])
})

test('agents, stores and servers ask a model by a run only, and so does whoever makes a summary', () => {
  const ofAgents = /^(agent|durable|serve|mcp|studio|dialog)\//
  const asks = /\.(generate|complete|completeWithHistory|streamWithHistory|streamWithTools)\(/
  const asking = sources
    .filter(({ file, text }) => ofAgents.test(file) && asks.test(text))
    .map(({ file }) => file)
  expect(asking).toEqual([])

  const summaries = sources.filter(({ text }) => text.includes('askForSummary('))
  expect(summaries.map(({ file }) => file).sort()).toEqual([
    'runtime/src/history/compaction/summary-text.ts',
    'runtime/src/loop/model/auto-compaction.ts',
  ])
})
