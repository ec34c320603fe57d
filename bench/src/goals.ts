import { type Api, apis, toolApis } from './bodies.ts'
import { type Results, reference } from './results.ts'

/** What one goal came to on one API; NaN where it was not measured. */
export interface Measured {
  readonly api: Api
  readonly value: number
}

/** One line of what modelport promises of itself. */
export interface Goal {
  readonly goal: string
  readonly target: string
  /** Digits after the point, two unless set. */
  readonly digits?: number
  measured(results: Results): readonly Measured[]
  met(value: number, api: Api): boolean
}

const own = 'modelport'
const official = 'official SDK'
const streamText = 'AI SDK streamText'
const two: readonly Api[] = ['anthropic', 'openai-chat']

const onEach =
  (of: readonly Api[], value: (results: Results, api: Api) => number) =>
  (results: Results): Measured[] =>
    of.map((api) => ({ api, value: value(results, api) }))
const size = (results: Results, regime: string): number => results.regime(regime)?.sizes[0] ?? NaN
const ratio = (
  regime: string,
  row: string,
  to: string,
  of: readonly Api[] = apis,
): Goal['measured'] =>
  onEach(of, (results, api) => results.ratio(regime, { api, size: size(results, regime) }, row, to))
/** The difference of two rows in a column. */
const more = (regime: string, row: string, than: string, column: number): Goal['measured'] =>
  onEach(apis, (results, api) => {
    const variant = { api, size: size(results, regime) }
    return (
      results.value(regime, variant, row, column) - results.value(regime, variant, than, column)
    )
  })

const atMost =
  (limit: number): Goal['met'] =>
  (value) =>
    value <= limit
const atLeast =
  (limit: number | Readonly<Record<Api, number>>): Goal['met'] =>
  (value, api) =>
    value >= (typeof limit === 'number' ? limit : limit[api])

const kilo = 1024
const tool = (bytes: number, results: Results, api: Api): number =>
  results.value('tool', { api, size: bytes }, own)

/** How far fast text is to be below the vendors' own SDKs. */
const officialFast = {
  anthropic: 1.15,
  'openai-chat': 2,
  'openai-responses': 2,
  gemini: 5,
  ollama: 0.95,
}
const officialPaced = {
  anthropic: 1.4,
  'openai-chat': 1.8,
  'openai-responses': 0,
  gemini: 0,
  ollama: 0,
}

/** The goals of the design, in its order. */
export const goals: readonly Goal[] = [
  {
    goal: 'paced, CPU a delta, times floor b',
    target: '≤ 1.2',
    measured: ratio('paced', own, reference),
    met: atMost(1.2),
  },
  {
    goal: 'fast, CPU a delta, times floor b',
    target: '≤ 1.3',
    measured: ratio('fast', own, reference),
    met: atMost(1.3),
  },
  {
    goal: 'paced, times less than AI SDK `streamText`',
    target: '≥ 3',
    measured: ratio('paced', streamText, own),
    met: atLeast(3),
  },
  {
    goal: 'fast, times less than AI SDK `streamText`',
    target: '≥ 7',
    measured: ratio('fast', streamText, own),
    met: atLeast(7),
  },
  {
    goal: 'paced, times less than the official SDK',
    target: '≥ 1.4 anthropic, ≥ 1.8 openai-chat',
    measured: ratio('paced', official, own, two),
    met: atLeast(officialPaced),
  },
  {
    goal: 'fast, times less than the official SDK',
    target: '≥ 1.15 anthropic, ≥ 2 openai, ≥ 5 gemini, ≥ 0.95 ollama',
    measured: ratio('fast', official, own),
    met: atLeast(officialFast),
  },
  {
    goal: 'first delta, ms above floor b at the median',
    target: '≤ 0.3',
    measured: more('first', own, reference, 1),
    met: atMost(0.3),
  },
  {
    goal: '`complete()`, CPU, times the official SDK',
    target: '≤ 1',
    measured: ratio('short', own, official),
    met: atMost(1),
  },
  {
    goal: '1.05 MB history and 50 tools, CPU, times floor b',
    target: '≤ 1.35',
    measured: ratio('large', own, reference),
    met: atMost(1.35),
  },
  {
    goal: 'tool arguments of 1 MB, s CPU',
    target: '≤ 0.6',
    measured: onEach(toolApis, (results, api) => tool(kilo * kilo, results, api) / 1000),
    met: atMost(0.6),
  },
  {
    goal: 'tool arguments are linear: 1 MB, times 256 kB',
    target: '≤ 4.4',
    measured: onEach(
      toolApis,
      (results, api) => tool(kilo * kilo, results, api) / tool(256 * kilo, results, api),
    ),
    met: atMost(4.4),
  },
  {
    goal: 'browser bundle, kB gzip above the official SDK',
    target: '≤ 10',
    digits: 1,
    measured: more('size', own, official, 1),
    met: atMost(10),
  },
]
