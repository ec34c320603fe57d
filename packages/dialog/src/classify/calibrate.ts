import { LlmError } from '@modelport/core'

/** A classification with the label that is right. */
export interface CalibrationExample {
  /** By label. */
  readonly probabilities: Readonly<Record<string, number>>
  /** The right label. */
  readonly label: string
}

/** One bar of a reliability diagram: examples whose confidence lies in a range. */
export interface ReliabilityBin {
  /** Confidence from which on examples are in the bin. */
  readonly from: number
  /** Confidence below which they are; the last bin includes it. */
  readonly to: number
  /** Examples in the bin. */
  readonly count: number
  /** Mean probability of the likeliest label. */
  readonly confidence: number
  /** Share of examples whose likeliest label was right. */
  readonly accuracy: number
}

/** Makes probabilities fit how often they are right. */
export interface Calibrator {
  /** Probabilities are raised to its inverse: above 1 for a model that is too sure of itself. */
  readonly temperature: number
  /** Share of examples whose likeliest label was right; a temperature does not change it. */
  readonly accuracy: number
  /** Expected calibration error of the examples as they are. */
  readonly errorBefore: number
  /** The same after calibration, each example with a temperature fitted without it (five folds). */
  readonly errorAfter: number
  /** The reliability diagram before, ten bins without the empty ones. */
  readonly before: readonly ReliabilityBin[]
  /** The reliability diagram after. */
  readonly after: readonly ReliabilityBin[]
  /** Calibrated probabilities. */
  apply<Label extends string>(probabilities: Readonly<Record<Label, number>>): Readonly<Record<Label, number>>
}

const folds = 5
const floor = 1e-6

/**
 * Fits a temperature to labelled examples.
 * @throws {LlmError} `config` — there are fewer than ten examples, or one lacks the probability of its label.
 */
export function calibrate(examples: readonly CalibrationExample[]): Calibrator {
  if (examples.length < 2 * folds)
    throw new LlmError('config', `calibrate: ${examples.length} examples are too few; give at least ${2 * folds}`)
  const wrong = examples.findIndex(({ probabilities, label }) => !Object.hasOwn(probabilities, label))
  if (wrong >= 0)
    throw new LlmError(
      'config',
      `calibrate: example ${wrong} has no probability for its label ${JSON.stringify(examples[wrong]?.label)}; it has ${Object.keys(examples[wrong]?.probabilities ?? {}).join(', ') || 'none'}`,
    )
  const temperature = fit(examples)
  const heldOut = Array.from({ length: folds }, (_, fold) => {
    const own = fit(examples.filter((_one, index) => index % folds !== fold))
    return examples
      .filter((_one, index) => index % folds === fold)
      .map((one) => ({ ...one, probabilities: scale(one.probabilities, own) }))
  }).flat()
  const before = toBins(examples)
  const after = toBins(heldOut)
  return {
    temperature,
    accuracy: examples.filter((one) => topOf(one).isRight).length / examples.length,
    errorBefore: errorOf(before, examples.length),
    errorAfter: errorOf(after, examples.length),
    before,
    after,
    apply: (probabilities) => scale(probabilities, temperature),
  }
}

/** The table that the diagram is drawn from, for a terminal. */
export function describeCalibration({
  temperature,
  accuracy,
  errorBefore,
  errorAfter,
  before,
  after,
}: Calibrator): string {
  const percent = (value: number): string => `${(value * 100).toFixed(1)} %`
  const rows = (bins: readonly ReliabilityBin[]): readonly string[] =>
    bins.map(
      ({ from, to, count, confidence, accuracy: right }) =>
        `  ${from.toFixed(1)}-${to.toFixed(1)}  ${String(count).padStart(6)}  ${percent(confidence).padStart(10)}  ${percent(right).padStart(8)}`,
    )
  const head = '  range      count  confidence  accuracy'
  return [
    `accuracy ${percent(accuracy)}, temperature ${temperature.toFixed(3)}`,
    `calibration error before ${percent(errorBefore)}`,
    head,
    ...rows(before),
    `calibration error after ${percent(errorAfter)}`,
    head,
    ...rows(after),
  ].join('\n')
}

function scale<Label extends string>(
  probabilities: Readonly<Record<Label, number>>,
  temperature: number,
): Readonly<Record<Label, number>> {
  const entries = Object.entries<number>(probabilities).map(
    ([label, p]) => [label, Math.max(p, floor) ** (1 / temperature)] as const,
  )
  const total = entries.reduce((sum, [, p]) => sum + p, 0)
  // It has the labels that were given.
  return Object.fromEntries(entries.map(([label, p]) => [label, p / total])) as Readonly<Record<Label, number>>
}

/** The temperature with the least mean surprise, by golden section search over its logarithm. */
function fit(examples: readonly CalibrationExample[]): number {
  const loss = (logarithm: number): number =>
    examples.reduce(
      (sum, { probabilities, label }) => sum - Math.log(scale(probabilities, Math.exp(logarithm))[label] ?? floor),
      0,
    )
  const ratio = (Math.sqrt(5) - 1) / 2
  let [low, high] = [-3, 3]
  let [left, right] = [high - ratio * (high - low), low + ratio * (high - low)]
  let [lossLeft, lossRight] = [loss(left), loss(right)]
  while (high - low > 1e-4) {
    if (lossLeft < lossRight) {
      high = right
      right = left
      lossRight = lossLeft
      left = high - ratio * (high - low)
      lossLeft = loss(left)
    } else {
      low = left
      left = right
      lossLeft = lossRight
      right = low + ratio * (high - low)
      lossRight = loss(right)
    }
  }
  return Math.exp((low + high) / 2)
}

function topOf({ probabilities, label }: CalibrationExample): {
  readonly confidence: number
  readonly isRight: boolean
} {
  const [best, confidence] = Object.entries(probabilities).reduce((a, b) => (b[1] > a[1] ? b : a), ['', -1])
  return { confidence, isRight: best === label }
}

function toBins(examples: readonly CalibrationExample[]): readonly ReliabilityBin[] {
  const tops = examples.map(topOf)
  return Array.from({ length: 10 }, (_, index) => index).flatMap((index) => {
    const own = tops.filter(({ confidence }) => Math.min(9, Math.floor(confidence * 10)) === index)
    if (!own.length) return []
    const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / own.length
    return [
      {
        from: index / 10,
        to: (index + 1) / 10,
        count: own.length,
        confidence: mean(own.map(({ confidence }) => confidence)),
        accuracy: mean(own.map(({ isRight }) => Number(isRight))),
      },
    ]
  })
}

const errorOf = (bins: readonly ReliabilityBin[], total: number): number =>
  bins.reduce((sum, { count, confidence, accuracy }) => sum + (count / total) * Math.abs(confidence - accuracy), 0)
