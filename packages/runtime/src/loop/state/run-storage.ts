import type { RunCheckpoint, RunFingerprint } from '../../journal/checkpoint.js'
import type { EffectLog } from '../../journal/effect-log.js'
import type { ResumeDecision } from '../../journal/pending-item.js'
import { TranscriptLog } from '../../journal/transcript-log.js'
import type { InferRequest } from '../request/run-request.js'
import { checkDecisions } from './resume.js'
import type { StepMark } from './step-mark.js'

/** The position of a run, for storing and resuming it. */
export class RunStorage {
  /** The recorded entries of the current step. */
  readonly log: EffectLog
  readonly transcript: TranscriptLog = new TranscriptLog()
  /** What was decided about the pending items of a resumed run. */
  readonly decisions: ReadonlyMap<string, ResumeDecision>
  /** The counters before the model call of the current step. */
  mark: StepMark | undefined
  /** True while the current step was begun before the resume, so that its model call is next. */
  isInsideStep: boolean
  /** The counters of the run as they are now. */
  readonly markNow: (phase: RunCheckpoint['phase']) => StepMark
  readonly #describe: () => RunFingerprint
  #fingerprint: RunFingerprint | undefined

  /**
   * @param describe makes the fingerprint; called once, and only if a checkpoint or a resume needs
   * it
   */
  constructor(
    { resume, decisions = [] }: NonNullable<InferRequest['durable']>,
    log: EffectLog,
    markNow: (phase: RunCheckpoint['phase']) => StepMark,
    describe: () => RunFingerprint,
  ) {
    this.log = log
    this.markNow = markNow
    this.#describe = describe
    this.isInsideStep = resume?.phase === 'model'
    this.decisions = checkDecisions(resume?.pending ?? [], decisions)
  }

  /** Keeps the counters as they are now. */
  takeMark(phase: RunCheckpoint['phase']): StepMark {
    this.mark = this.markNow(phase)
    return this.mark
  }

  get fingerprint(): RunFingerprint {
    this.#fingerprint ??= this.#describe()
    return this.#fingerprint
  }
}
