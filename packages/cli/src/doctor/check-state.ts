import type { Socket } from 'node:net'
import type { HostEntry } from '@modelport/factory'
import type { Cli } from '../context/cli.js'
import type { NamedModel } from '../models/configured-models.js'
import type { DoctorStep } from './doctor-step.js'

/** The results of a step for later steps. */
export interface CheckState {
  readonly model: NamedModel
  readonly cli: Cli
  /** The host that is dialled: the proxy, if there is one. */
  dialled?: HostEntry
  api?: HostEntry
  socket?: Socket
  /** Failure of the one request that checks the key and the model. */
  refusal?: unknown
}

/** What a check found; a failed one rejects. */
export interface Outcome extends Pick<DoctorStep, 'detail' | 'fix' | 'note'> {
  /** Default `ok`. */
  readonly status?: Exclude<DoctorStep['status'], 'failed'>
  /** False if the time says nothing. Default true. */
  readonly timed?: boolean
}
