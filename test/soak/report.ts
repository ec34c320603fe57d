// From samples to a table: what grows.
import { median, type Slope, slopeOf } from './slope.js'

export interface Sample {
  /** Seconds since the start. */
  readonly at: number
  readonly values: Readonly<Record<string, number>>
}

/** Samples outside of the heap, which is measured itself. */
export class Samples {
  readonly #columns = new Map<string, Float64Array>()
  readonly #most: number
  length = 0

  constructor(most: number) {
    this.#most = most
  }

  add({ at, values }: Sample): void {
    if (this.length === this.#most) return
    for (const [name, value] of [['at', at] as const, ...Object.entries(values)]) {
      const column = this.#columns.get(name) ?? new Float64Array(this.#most).fill(NaN)
      this.#columns.set(name, column)
      column[this.length] = value
    }
    this.length++
  }

  list(): readonly Sample[] {
    return Array.from({ length: this.length }, (_, index) => {
      const { at = NaN, ...values } = Object.fromEntries(
        [...this.#columns].map(([name, column]) => [name, column[index] ?? NaN]),
      )
      return { at, values }
    })
  }
}

export interface Growth extends Slope {
  readonly what: string
  readonly unit: 'MB' | ''
  readonly first: number
  readonly last: number
}

/**
 * What is judged; of the conductor, which is the soak's own, only its heap, handles and timers. A
 * file or a handle more or less is that of a request in flight, so growth below the floor does not
 * count.
 */
const judged: readonly {
  readonly pattern: RegExp
  readonly unit: Growth['unit']
  readonly floor: number
}[] = [
  { pattern: / heap$/, unit: 'MB', floor: 0.5e6 },
  { pattern: /(server|client) threads$/, unit: 'MB', floor: 0.5e6 },
  // Code grows while rare branches run for the first time and hot ones are compiled again; it ends
  // with the program's own size.
  { pattern: /(server|client) code$/, unit: 'MB', floor: 2e6 },
  { pattern: /(server|client) rss$/, unit: 'MB', floor: 4e6 },
  { pattern: / handles$/, unit: '', floor: 2 },
  { pattern: / timers$/, unit: '', floor: 4 },
  { pattern: /(server|client) files$/, unit: '', floor: 2 },
  { pattern: / database bytes$/, unit: 'MB', floor: 0.2e6 },
  { pattern: / database rows$/, unit: '', floor: 20 },
]

/**
 * Growth of each series after the warm-up: a quarter of the time, in the short form the half.
 * Tolerated are 2 %, in the short form 25 %. A database is not judged there: it is not full yet.
 */
export function growthOf(samples: readonly Sample[], isShort: boolean): readonly Growth[] {
  const end = samples.at(-1)?.at ?? 0
  const from = isShort ? end / 2 : end / 4
  const measured = samples.filter(({ at }) => at >= from)
  const names = Object.keys(measured[0]?.values ?? {})
  const rows = judged.filter(({ pattern }) => !isShort || !pattern.source.includes('database'))
  return rows.flatMap(({ pattern, unit, floor }) =>
    names
      .filter((name) => pattern.test(name))
      .map((what): Growth => {
        const points = measured.map(({ at, values }) => [at, values[what] ?? NaN] as const)
        const tenth = Math.ceil(points.length / 10)
        const of = (part: typeof points): number => median(part.map(([, value]) => value))
        return {
          what,
          unit,
          first: of(points.slice(0, tenth)),
          last: of(points.slice(-tenth)),
          ...slopeOf(points, isShort ? 0.25 : 0.02, floor),
        }
      }),
  )
}

/** The table in Markdown. */
export function tableOf(growths: readonly Growth[]): string {
  const show = (value: number, unit: Growth['unit']): string =>
    unit === 'MB' ? (value / 1e6).toFixed(2) : value.toFixed(1)
  const rows = growths.map(
    ({ what, unit, level, first, last, perHour, low, high, isRising }) =>
      `| ${what}${unit && `, ${unit}`} | ${[level, first, last, perHour].map((value) => show(value, unit)).join(' | ')} | ${show(low, unit)} to ${show(high, unit)} | ${isRising ? '**grows**' : 'flat'} |`,
  )
  return [
    '| what | median | first tenth | last tenth | slope an hour | 95 % interval | |',
    '|---|--:|--:|--:|--:|---|---|',
    ...rows,
  ].join('\n')
}
