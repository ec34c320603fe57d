import type { Api } from './bodies.ts'
import type { Counts, Regime } from './regimes.ts'
import type { Metrics } from './sample.ts'
import { medianOf } from './spread.ts'

/** What one row gave in one measurement. */
export interface Cell {
  /** One for each round; a single one where `once` is set. */
  readonly samples: Metrics[]
  /** Why there is no more. */
  error?: string
  /** It is so slow that only one sample was taken, in the warm-up. */
  once?: boolean
  /** What the reader should know. */
  note?: string
}

/** What is measured in one group of shuffled rounds. */
export interface Variant {
  readonly api: Api
  readonly size: number
}

/** The row that ratios are to. */
export const reference = 'floor b (reference)'

/** All cells of a run. */
export class Results {
  readonly #cells = new Map<string, Cell>()
  readonly #regimes = new Map<string, Regime>()

  /** The cell of a row, made when it is not there. */
  open(regime: Regime, { api, size }: Variant, row: string): Cell {
    this.#regimes.set(regime.name, regime)
    const key = [regime.name, api, size, row].join('|')
    const cell = this.#cells.get(key) ?? { samples: [] }
    this.#cells.set(key, cell)
    return cell
  }

  /** The cell of a row. */
  find(regime: string, { api, size }: Variant, row: string): Cell | undefined {
    return this.#cells.get([regime, api, size, row].join('|'))
  }

  /** A regime that was run. */
  regime(name: string): Regime | undefined {
    return this.#regimes.get(name)
  }

  /** A column's number of each round. */
  rounds(name: string, variant: Variant, row: string, column = 0): number[] {
    const regime = this.#regimes.get(name)
    const { of } = regime?.columns[column] ?? {}
    const cell = this.find(name, variant, row)
    if (!regime || !of || !cell) return []
    const counts: Counts = { ...regime, size: variant.size }
    return cell.samples.map((metrics) => of(metrics, counts) ?? NaN)
  }

  /** A column's median. */
  value(name: string, variant: Variant, row: string, column = 0): number {
    return medianOf(this.rounds(name, variant, row, column))
  }

  /**
   * How many times a row's number is another's: the median of the ratios within each round, so that
   * foreign load falls on both sides.
   */
  ratio(name: string, variant: Variant, row: string, to: string, column = 0): number {
    const own = this.rounds(name, variant, row, column)
    const other = this.rounds(name, variant, to, column)
    if (own.length === other.length) return medianOf(this.ratios(name, variant, row, to, column))
    return medianOf(own) / medianOf(other)
  }

  /** The ratios within each round; none where the rows have not the same number of rounds. */
  ratios(name: string, variant: Variant, row: string, to: string, column = 0): readonly number[] {
    const own = this.rounds(name, variant, row, column)
    const other = this.rounds(name, variant, to, column)
    return own.length === other.length
      ? own.map((value, index) => value / (other[index] ?? NaN))
      : []
  }

  /** Rows with an error, of those whose error ends the run badly. */
  errors(names: readonly string[]): string[] {
    return [...this.#cells]
      .filter(([key, { error }]) => error && names.some((name) => key.endsWith(`|${name}`)))
      .map(([key, { error }]) => `${key}: ${error ?? ''}`)
  }
}
