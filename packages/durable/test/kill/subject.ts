// What the killing test asks of a system that it examines. Nothing here knows a library: an adapter
// translates, ours is in `adapter/`.
import type { ChildProcess } from 'node:child_process'

/** One call of a tool, or of another agent. Its name is its own within its job. */
export interface Call {
  readonly name: string
  /**
   * `once` must happen exactly once, `again` may be repeated. A `child` is another agent, which
   * makes one call `file` that must happen once.
   */
  readonly effect: 'once' | 'again' | 'child'
  /**
   * A person is asked before it, who approves or denies it; or by the call itself, which goes
   * through after the answer.
   */
  readonly asks?: 'approve' | 'deny' | 'answer'
}

/** One piece of work: the steps of a model with their calls, then the answer `Done.` */
export interface Job {
  readonly id: string
  /** A run that a worker takes from the store, or the task of an agent that is asked over HTTP. */
  readonly kind: 'run' | 'task'
  readonly steps: readonly (readonly Call[])[]
}

/** A process that works on jobs. */
export interface Worker {
  readonly name: string
  readonly child: ChildProcess
}

/** Something that waits for a person. */
export interface Question {
  readonly job: string
  /** Names the question in a decision; another one after each decision. */
  readonly id: string
  readonly kind: 'approval' | 'uncertain' | 'question'
  /** Name of the call. */
  readonly call: string
  /** The key that an uncertain call was made with. */
  readonly key?: string
}

/** What the person says. */
export type Decision =
  | { readonly type: 'approve' }
  | { readonly type: 'deny'; readonly reason: string }
  /** The uncertain call did happen, with this result; or it did not. */
  | { readonly type: 'happened'; readonly result: string }
  | { readonly type: 'did-not-happen' }
  /** What the call asked. */
  | { readonly type: 'answer'; readonly content: { readonly who: string } }

/** A stored event of a job. */
export interface StoredEvent {
  /** Its number in the job. */
  readonly seq: number
  /** Its number and attempt as an event of the model's work; unset for others. */
  readonly own?: { readonly seq: number; readonly attempt: number }
  readonly type: string
  /** The call that it is about. */
  readonly call?: string
}

/** What is stored of a job. */
export interface Report {
  readonly state: 'done' | 'open' | 'failed' | 'stopped' | 'missing'
  /** The answer, or why it failed or stopped. */
  readonly text: string
  readonly events: readonly StoredEvent[]
  /** Roles of the messages, in order, and what the model read of its calls. */
  readonly roles: readonly string[]
  readonly results: readonly { readonly call: string; readonly text: string }[]
}

/** A system under test. */
export interface Subject {
  /** How long a claim outlives its process, in milliseconds. */
  readonly leaseMs: number
  /**
   * Starts a process that works on everything; resolves once it does.
   *
   * @param version that of its program: a later one has another prompt
   * @param place which of the processes it takes the place of
   */
  startWorker(name: string, version: number, place: number): Promise<Worker>
  /**
   * Hands a job over. If it rejects, the same is called again until it succeeds: the job must not
   * be made twice.
   */
  submit(job: Job, version: number): Promise<void>
  questions(): Promise<readonly Question[]>
  /** Rejects if the question does not wait any more. */
  decide(question: Question, decision: Decision): Promise<void>
  /** Jobs that stopped until an operator lets them continue, and why. */
  stopped(): Promise<readonly { readonly job: string; readonly why: string }[]>
  /** The operator lets it continue, under this version of the program. */
  resume(job: string, version: number): Promise<void>
  /** Leaves tasks behind that no worker serves any more. */
  leaveBehind(count: number): Promise<void>
  /** Whether a job is over; cheaper than its report. */
  state(job: string): Promise<Report['state']>
  report(job: Job): Promise<Report>
  close(): Promise<void>
}
