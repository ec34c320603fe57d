// What must be true of every job, whatever was killed.
import type { Effect } from './ledger.js'
import type { Call, Decision, Job, Question, Report, StoredEvent } from './subject.js'

/** A decision that the person made. */
export interface Decided {
  readonly question: Question
  readonly decision: Decision
  /** False if its reply was lost: the system may have taken it or not. */
  readonly isSure: boolean
  readonly at: number
}

/** Everything that is known about one job. */
export interface Evidence {
  readonly job: Job
  readonly report: Report
  readonly effects: readonly Effect[]
  readonly decided: readonly Decided[]
  /**
   * True for an effect of a process that was frozen longer than its lease, right before: nothing
   * can stop it.
   */
  isLate?(effect: Effect): boolean
}

/** True if the system says that it did not take a decision; any other error leaves that open. */
export const isRefusal = (error: unknown): boolean =>
  /wait|decided before|nothing can be decided/.test(String(error))

const deniedBecause = 'not this one'

/** What the person says, after a look into the ledger. */
export function answer(
  { kind, call, key = '' }: Question,
  ledger: { has(key: string): boolean },
): Decision {
  if (kind === 'question') return { type: 'answer', content: { who: 'Ada' } }
  if (kind === 'approval')
    return call === 'refused' ? { type: 'deny', reason: deniedBecause } : { type: 'approve' }
  if (!ledger.has(key)) return { type: 'did-not-happen' }
  return { type: 'happened', result: call === 'file' ? 'Filed.' : `seen ${call}` }
}

/** What the call of a child does, which is the effect that counts. */
const effectOf = ({ name, effect }: Call): string => (effect === 'child' ? 'file' : name)

/** What is wrong with a job; nothing if all is well. */
export function judge(evidence: Evidence): readonly string[] {
  const { job, report } = evidence
  const wrong: string[] = []
  if (report.state !== 'done') wrong.push(`is ${report.state}: ${report.text}`)
  else if (report.text !== 'Done.') wrong.push(`answered ${JSON.stringify(report.text)}`)
  for (const call of job.steps.flat()) wrong.push(...judgeCall(call, evidence))
  if (report.state === 'done') wrong.push(...judgeTranscript(job, report))
  wrong.push(...judgeEvents(job, report.events))
  return wrong.map((one) => `${job.kind} ${job.id} ${one}`)
}

function judgeCall(call: Call, { effects, decided, report, isLate }: Evidence): readonly string[] {
  const name = effectOf(call)
  const wrong: string[] = []
  const happened = effects.filter((effect) => effect.call === name)
  const about = decided.filter(({ question }) => question.call === name)
  const asked = call.asks === 'answer' ? 'question' : 'approval'
  const approvals = about.filter(({ question }) => question.kind === asked)
  const settled = about.filter(({ question }) => question.kind === 'uncertain')
  if (call.asks === 'deny') {
    if (happened.length > 0) wrong.push(`${name} happened although it was denied`)
  } else if (happened.length === 0 && report.state === 'done') wrong.push(`${name} is lost`)
  const late = happened.filter((effect) => isLate?.(effect)).length
  if (call.effect !== 'again' && happened.length - late > 1)
    wrong.push(`${name} happened ${happened.length} times: ${tell(happened, about)}`)
  const first = happened[0]
  if (
    call.asks &&
    first &&
    !approvals.some(
      ({ decision, at }) => /^(?:approve|answer)$/.test(decision.type) && at <= first.at,
    )
  )
    wrong.push(`${name} happened before anybody approved it`)
  if (call.asks && report.state === 'done' && approvals.length === 0)
    wrong.push(`${name} was decided by nobody`)
  if (
    call.asks !== 'approve' &&
    call.asks !== 'deny' &&
    about.some(({ question }) => question.kind === 'approval')
  )
    wrong.push(`${name} asked for an approval that it does not need`)
  if (settled.length > 0 && call.effect === 'again')
    wrong.push(`${name} may be repeated, and was uncertain`)
  const last = settled.findIndex(({ decision, isSure }) => isSure && decision.type === 'happened')
  const { id } = settled[last]?.question ?? {}
  // A question that is still listed may be decided again: what matters is that the second decision
  // is not taken.
  if (
    last >= 0 &&
    settled.slice(last + 1).some(({ isSure, question }) => isSure || question.id !== id)
  )
    wrong.push(`${name} was asked about again after it was settled: ${tell(happened, about)}`)
  return wrong
}

/** Who did what when, in seconds. */
function tell(effects: readonly Effect[], decided: readonly Decided[]): string {
  const all = [
    ...effects.map(({ at, worker, key }) => [at, `${worker} with ${key.slice(-12)}`] as const),
    ...decided.map(
      ({ at, decision, isSure }) => [at, `${decision.type}${isSure ? '' : '?'}`] as const,
    ),
  ]
  return all
    .sort(([a], [b]) => a - b)
    .map(([at, what]) => `${(at / 1000).toFixed(1)} ${what}`)
    .join(', ')
}

function judgeTranscript({ steps }: Job, { roles, results }: Report): readonly string[] {
  const wrong: string[] = []
  const expected = [
    'user',
    ...steps.flatMap((calls) => ['assistant', ...calls.map(() => 'tool')]),
    'assistant',
  ]
  if (roles.join() !== expected.join())
    wrong.push(`has the messages ${roles.join()} in place of ${expected.join()}`)
  for (const { name, asks, effect } of steps.flat()) {
    const read = results.filter(({ call }) => call === name)
    const isRight = ({ text }: { readonly text: string }): boolean =>
      asks === 'deny'
        ? text.includes(deniedBecause)
        : effect === 'child'
          ? text.includes('Filed.')
          : new RegExp(`^(?:done|seen) ${name}$`).test(text)
    if (read.length !== 1 || !read.every(isRight))
      wrong.push(`reads of ${name}: ${read.map(({ text }) => text).join(' | ') || 'nothing'}`)
  }
  return wrong
}

/**
 * Numbers without a gap; what is made again after a kill has a higher attempt; within an attempt a
 * call ends once and is decided once.
 */
function judgeEvents({ kind, steps }: Job, events: readonly StoredEvent[]): readonly string[] {
  const wrong: string[] = []
  if (events.some(({ seq }, index) => seq !== index + 1))
    wrong.push('has a gap in the numbers of its events')
  const attempts = new Map<number, number>()
  for (const { own, type } of events) {
    if (!own) continue
    const before = attempts.get(own.seq)
    if (before !== undefined && before >= own.attempt)
      wrong.push(
        `has ${type} (event ${own.seq}) again in attempt ${own.attempt}, after attempt ${before}`,
      )
    attempts.set(own.seq, own.attempt)
  }
  const ends = new Map<string, string[]>()
  for (const { type, call, own, seq } of events) {
    if (call === undefined || !/^(?:tool-result|tool-error|agent-result|agent-error)$/.test(type))
      continue
    const name = `${kind === 'run' ? '' : `${own?.attempt} `}${call}`
    ends.set(name, [...(ends.get(name) ?? []), `${type} (event ${seq})`])
  }
  for (const [name, all] of ends)
    if (all.length > 1)
      wrong.push(
        `has ${all.length} ends of ${name}: ${all.join(', ')} of ${events.map(({ type, call = '' }) => `${type} ${call}`).join(', ')}`,
      )
  if (steps.length > 0 && events.length === 0) wrong.push('has no events')
  return wrong
}
