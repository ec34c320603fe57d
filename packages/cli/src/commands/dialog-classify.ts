import { readFile } from 'node:fs/promises'
import {
  type CalibrationExample,
  type Classification,
  ClassificationError,
  type ClassifyMethod,
  calibrate,
  type DialogCaller,
  describeCalibration,
} from '@modelport/dialog'
import type { Cli } from '../context/cli.js'
import { given } from '../context/given.js'
import { exitCodes, UsageError } from '../errors/exit-codes.js'
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

/** Options of `modelport dialog calibrate`. */
export interface CalibrateFlags extends ClassifyFlags {
  readonly examples: string
}

/** Prints the probability of each label for one text. */
export async function classifyText(cli: Cli, name: string, flags: ClassifyFlags): Promise<number> {
  const { out, err, json } = cli
  const { caller } = await findAgent(cli, name, flags, false)
  const found = await classify(cli, caller, flags.task ?? (await readPrompt(cli, [])), flags)
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

/** Classifies labelled texts, and prints how far the probabilities can be trusted, before and after calibration. */
export async function calibrateLabels(cli: Cli, name: string, flags: CalibrateFlags): Promise<number> {
  const { out, err, json, signal } = cli
  const texts = await readExamples(flags.examples, flags.labels)
  const { caller } = await findAgent(cli, name, flags, false)
  const examples: CalibrationExample[] = []
  const methods = new Set<ClassifyMethod>()
  let uncovered = 0
  for (const { text, label } of texts) {
    signal.throwIfAborted()
    try {
      const { probabilities, method } = await classify(cli, caller, text, flags)
      methods.add(method)
      examples.push({ probabilities, label })
    } catch (error) {
      // A model that says something else is a finding about this text; everything else ends the command.
      if (!(error instanceof ClassificationError) || error.coverage === undefined) throw error
      uncovered++
    }
  }
  const calibrator = calibrate(examples)
  const counts = { examples: examples.length, uncovered, methods: [...methods] }
  if (json) {
    out.json({ ...calibrator, ...counts })
    return exitCodes.done
  }
  out.line(describeCalibration(calibrator))
  err.line(`${examples.length} examples by ${counts.methods.join(', ')}; ${uncovered} without a label`)
  return exitCodes.done
}

function classify(
  { signal }: Cli,
  caller: DialogCaller,
  text: string,
  flags: ClassifyFlags,
): Promise<Classification<string>> {
  return caller.classify(caller.open().send(text), flags.labels, {
    signal,
    ...given(flags, 'method', 'votes', 'question', 'minCoverage'),
  })
}

interface Example {
  readonly text: string
  readonly label: string
}

/** Reads a line of JSON for each example. @throws {UsageError} names file and line, what was found and what to do. */
async function readExamples(file: string, labels: readonly string[]): Promise<readonly Example[]> {
  const source = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--examples: ${(error as Error).message}`)
  })
  return source.split('\n').flatMap((line, index) => {
    if (!line.trim()) return []
    const { text, label } = (parse(line) ?? {}) as Partial<Record<keyof Example, unknown>>
    const where = `${file}, line ${index + 1}`
    if (typeof text !== 'string' || typeof label !== 'string')
      throw new UsageError(`${where}: expected {"text": "...", "label": "..."}, found ${line.trim().slice(0, 60)}`)
    if (!labels.includes(label))
      throw new UsageError(`${where}: the label ${JSON.stringify(label)} is not one of --labels ${labels.join(',')}`)
    return [{ text, label }]
  })
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
