import type { ClassifyMethod } from '@modelport/dialog'
import type { Cli } from '../context/cli.js'
import { given } from '../context/given.js'
import { exitCodes } from '../errors/exit-codes.js'
import { type AgentOptions, findAgent } from './dialog-agent.js'
import { readPrompt } from './read-prompt.js'

/** Options of `modelport dialog classify`. */
export interface ClassifyFlags extends AgentOptions {
  readonly labels: readonly string[]
  readonly method?: ClassifyMethod
  readonly votes?: number
  readonly question?: string
  readonly minCoverage?: number
  readonly task?: string
}

/** Prints the probability of each label for one text. */
export async function classifyText(cli: Cli, name: string, flags: ClassifyFlags): Promise<number> {
  const { out, err, json } = cli
  const { caller } = await findAgent(cli, name, flags, false)
  const text = flags.task ?? (await readPrompt(cli, []))
  const found = await caller.classify(caller.open().send(text), flags.labels, {
    signal: cli.signal,
    ...given(flags, 'method', 'votes', 'question', 'minCoverage'),
  })
  const { label, probabilities, method, coverage, entropy, interval } = found
  if (json) {
    out.json({ label, probabilities, method, coverage, entropy, ...(interval && { interval }) })
    return exitCodes.done
  }
  const sorted = Object.entries(probabilities).sort(([, a], [, b]) => b - a)
  for (const [one, probability] of sorted) out.line(`${probability.toFixed(4)}\t${out.foreign(one)}`)
  err.line(`method ${method}, coverage ${coverage.toFixed(3)}, entropy ${entropy.toFixed(3)} bits`)
  return exitCodes.done
}
