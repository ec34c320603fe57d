import type { Diagnosis } from '@modelport/factory'

/** The checks of a model, in order; the checks after one that fails are left out. */
export const stepIds = [
  'config',
  'dns',
  'tcp',
  'tls',
  'auth',
  'model',
  'stream',
  'tools',
  'schema',
] as const

/** One of {@link stepIds}. */
export type StepId = (typeof stepIds)[number]

/** Lets a host through a sandbox. */
export interface AllowLine {
  /** The sandbox: a name that `modelport hosts --format` knows. */
  readonly sandbox: string
  readonly line: string
  readonly where: string
}

/** What a step came to, as data. */
export interface DoctorStep {
  readonly id: StepId
  /**
   * `warning`: the model works, but not in this. `skipped`: not asked for, not needed, or an
   * earlier step failed.
   */
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped'
  readonly latencyMs?: number
  readonly notReached?: true
  /** What was found, in a few words. */
  readonly detail: string
  readonly problem?: Diagnosis['problem']
  /** An optional improvement, although nothing is wrong. */
  readonly note?: string
  readonly fix?: string
  /** `host:port` that a sandbox refused. */
  readonly refusedHost?: string
  /** What to add to the list of each sandbox. */
  readonly allow?: readonly AllowLine[]
}

/** Everything found about a model. */
export interface DoctorReport {
  readonly name: string
  readonly provider?: string
  readonly model?: string
  /** `host:port` of the API; '' for a model in this process. */
  readonly host?: string
  /** False when a step failed. */
  readonly ok: boolean
  readonly steps: readonly DoctorStep[]
}
