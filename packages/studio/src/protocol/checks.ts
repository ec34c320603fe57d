/** A host in the list of hosts. */
export interface HostInfo {
  /** `host:port` */
  readonly host: string
  /** Name of the model, agent or server that contacts it. */
  readonly usedBy: string
  /** What it is contacted for, such as `api`. */
  readonly purpose: string
}

/** An allow-list in the format of a sandbox. */
export interface AllowListInfo {
  /** The list, ready to be copied. */
  readonly text: string
  /** Facts that the list does not cover. */
  readonly notes: readonly string[]
}

/** One step of the connection test. */
export interface DoctorStepInfo {
  /** What was tested. */
  readonly name: string
  /** How the test ended. */
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped'
  /** What was found. */
  readonly detail: string
  /** What to do about a failure. */
  readonly fix?: string
}
