import { DatabaseSync } from 'node:sqlite'
import { openFileStore } from '../src/node.js'
import type { RunRecord } from '../src/protocol/protocol.js'
import { RunIndex } from '../src/store/run-index.js'

/**
 * Writes a file of the studio with so many runs, in one transaction. Run `n` has the word
 * `needle{n}` in the result of its tool.
 */
export async function fillStudioFile(path: string, count: number): Promise<void> {
  await openFileStore(path).close()
  const database = new DatabaseSync(path)
  const index = new RunIndex(database)
  const insert = database.prepare('INSERT INTO runs (id, at, run) VALUES (?, ?, ?)')
  database.exec('BEGIN')
  for (let n = 0; n < count; n++) {
    const run = manyRun(n)
    insert.run(run.id, run.at, JSON.stringify(run))
    index.put(run)
  }
  database.exec('COMMIT')
  database.close()
}

/** Ten seconds between two runs; each hundredth fails; each fifth continues the one before. */
function manyRun(n: number): RunRecord {
  const call = { id: 'c', name: `tool-${n % 50}`, arguments: { n }, argumentsText: `{"n":${n}}` }
  const failed = n % 100 === 99
  return {
    ...{
      id: `run-${n}`,
      at: 1_700_000_000_000 + n * 10_000,
      model: `model-${n % 10}`,
      title: `question ${n}`,
    },
    status: failed ? 'failed' : 'final',
    ...(n % 5 === 4 && { from: { runId: `run-${n - 1}`, messages: 0 } }),
    ...{ latencyMs: (n * 7919) % 5000, firstTokenMs: 100, cost: (n % 10) / 1000 },
    usage: {
      ...{
        inputTokens: 100,
        outputTokens: 20,
        cacheReadTokens: n % 2 === 0 ? 50 : 0,
        cacheCreationTokens: 0,
      },
      ...{ reasoningTokens: 0, toolDefinitionTokens: 0, turns: [], reported: true },
    },
    ...(failed && { error: { code: 'auth', message: 'the key was refused' } }),
    messages: [{ role: 'user', content: `question ${n}` }],
    transcript: [
      { role: 'user', content: `question ${n}` },
      { role: 'assistant', content: '', toolCalls: [call] },
      { role: 'tool', toolCallId: 'c', content: `result needle${n}` },
      { role: 'assistant', content: `reply ${n}` },
    ],
  }
}
