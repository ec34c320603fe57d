// The auditor. It knows nothing of the product and imports nothing: it reads what the receiver has
// in its ledger, what people were told and what they said, and how everything stood in the end.
// The letters name the promises: docs/durable.md, "How it is tested".

/** A line of the receiver's ledger. */
export interface LedgerLine {
  readonly at: number
  readonly wish: string
  readonly key: string
  /** False if the receiver had the key already, or did not do it. */
  readonly effect: boolean
}

/** What a person said about a request, and whether it was accepted. */
export interface SaidLine {
  readonly at: number
  readonly owner: string
  readonly request: string
  readonly wishes: readonly string[]
  readonly says: 'approve' | 'deny' | 'happened' | 'did-not-happen' | 'unknown' | 'answer'
  /** `lost`: nobody knows whether it arrived. */
  readonly was: 'accepted' | 'refused' | 'lost'
}

/** A call of a model whose calls are limited, or what may be spent from then on. */
export type PaidLine =
  | { readonly at: number; readonly what: 'call' }
  /** `nothing spent`: what was spent before is forgotten. */
  | { readonly at: number; readonly what: 'limit' | 'nothing spent'; readonly most: number }

export interface AuditedJob {
  readonly id: string
  readonly session?: string
  readonly wishes: readonly {
    readonly id: string
    readonly tool: string
    readonly reads: boolean
  }[]
  /** The store said that it has the job. */
  readonly isAccepted: boolean
  /** A person cancelled it, or deleted its conversation or its owner. */
  readonly mayEnd: boolean
  /** Its sender was forgotten, and may have sent it as a new message. */
  readonly isNewAgain: boolean
  /** Its first call that fails ends it as failed. */
  readonly endsAtFailure: boolean
  /** A model did not answer when it may have been asked. */
  readonly mayLackModel: boolean
  /** An operator limited the calls of the model. */
  readonly mayLackMoney: boolean
  /** A later message of its session came: one that waits may be cancelled for it. */
  readonly mayBeSuperseded: boolean
}

export interface AuditedTask {
  readonly job: string
  readonly id: string
  readonly state: string
  /** It waited for somebody, and gave the turn of its session away meanwhile. */
  readonly hasWaited: boolean
  /** The text of the answer: `J1.1=paid`, for each wish. */
  readonly answer: string
  /** Who can end it, if it is not over. */
  readonly waitsFor: readonly string[]
}

export interface AuditedSession {
  readonly id: string
  /** False if it was deleted or made shorter. */
  readonly isWhole: boolean
  readonly messages: readonly {
    readonly role: string
    readonly job?: string
    readonly calls: readonly string[]
    readonly result?: string
  }[]
}

export interface Evidence {
  readonly ledger: readonly LedgerLine[]
  readonly said: readonly SaidLine[]
  readonly paid: readonly PaidLine[]
  readonly jobs: readonly AuditedJob[]
  readonly tasks: readonly AuditedTask[]
  readonly sessions: readonly AuditedSession[]
  /** What the model read before a job of a session: the jobs in front of it. */
  readonly reads: readonly { readonly job: string; readonly before: readonly string[] }[]
  /** What went wrong inside that nobody outside may see. */
  readonly internal: readonly string[]
}

const over: readonly string[] = [
  'completed',
  'failed',
  'cancelled',
  'rejected',
  'final',
  'incomplete',
]

/** What is wrong, one sentence each, with the letter of its promise in front. */
export function audit(evidence: Evidence): readonly string[] {
  return [
    ...paidOnce(evidence),
    ...approved(evidence),
    ...kept(evidence),
    ...ended(evidence),
    ...told(evidence),
    ...conversations(evidence),
    ...withinLimits(evidence),
    ...evidence.internal.map((text) => `I: ${text}`),
  ]
}

/** A: paid at most once, unless somebody said that it did not happen. */
function paidOnce({ ledger, said, jobs }: Evidence): string[] {
  return jobs.flatMap(({ wishes, isNewAgain }) =>
    wishes.flatMap(({ id, reads }) => {
      const effects = ledger.filter(({ wish, effect }) => wish === id && effect).length
      const excuses = said.filter(
        ({ wishes: about, says, was }) =>
          about.includes(id) && says === 'did-not-happen' && was !== 'refused',
      ).length
      return reads || effects <= 1 + excuses + (isNewAgain ? 1 : 0)
        ? []
        : [`A: ${id} was paid ${effects} times`]
    }),
  )
}

/** B: what needs an approval is done at most once for each approval. */
function approved({ ledger, said, jobs }: Evidence): string[] {
  return jobs.flatMap(({ wishes }) =>
    wishes.flatMap(({ id, tool }) => {
      if (tool !== 'signed' && tool !== 'keyedSigned') return []
      const effects = ledger.filter(({ wish, effect }) => wish === id && effect).length
      const about = said.filter(({ wishes: all, was }) => all.includes(id) && was !== 'refused')
      const yes = about.filter(({ says }) => says === 'approve' || says === 'did-not-happen')
      return effects <= yes.length
        ? []
        : [`B: ${id} was paid ${effects} times, approved ${yes.length} times`]
    }),
  )
}

/** C: what was accepted is there, once. D: a decision that was accepted is not asked for again. */
function kept({ jobs, tasks, said }: Evidence): string[] {
  const lost = jobs.flatMap(({ id, isAccepted, mayEnd }) => {
    const count = tasks.filter(({ job }) => job === id).length
    if (count > 1) return [`C: ${id} has ${count} tasks`]
    return isAccepted && count === 0 && !mayEnd ? [`C: ${id} was accepted and is gone`] : []
  })
  const again = said.filter(
    ({ owner, request, was }) =>
      was === 'accepted' &&
      tasks.some(({ id, waitsFor }) => id === owner && waitsFor.includes(request)),
  )
  return [...lost, ...again.map(({ owner, request }) => `D: ${owner} asks for ${request} again`)]
}

/** E: everything ends or names who can end it; nothing fails or is cancelled without a reason. */
function ended({ jobs, tasks }: Evidence): string[] {
  return tasks.flatMap(({ job, state, waitsFor, answer }) => {
    const known = jobs.find(({ id }) => id === job)
    const isOver = over.includes(state)
    if (!isOver) return [`E: ${job} is ${state}, and waits for ${waitsFor.join(', ') || 'nobody'}`]
    if (known?.mayEnd) return []
    if (state === 'failed' && known?.endsAtFailure && /=(?:failed|unknown)/.test(answer)) return []
    if (state === 'failed' && known?.mayLackMoney && answer.includes('the budget of')) return []
    if (state === 'failed' && known?.mayLackModel && answer.includes('model call failed')) return []
    if (state === 'cancelled' && !known?.mayBeSuperseded) return [`E: nobody cancelled ${job}`]
    return state === 'completed' || state === 'final' || state === 'cancelled'
      ? []
      : [`E: ${job} is ${state}: ${answer}`]
  })
}

/** F: the answer of a finished task says what was done and what was not. */
function told({ jobs, tasks, ledger, said }: Evidence): string[] {
  return tasks.flatMap(({ job, state, answer }) => {
    const known = jobs.find(({ id }) => id === job)
    const isDone = state === 'completed' || state === 'final'
    if (!known || known.mayEnd || !(isDone || state === 'failed')) return []
    return known.wishes.flatMap(({ id, reads }) => {
      const word = new RegExp(`${id.replace('.', '\\.')}=(\\w+)`).exec(answer)?.[1]
      const wasPaid = ledger.some(({ wish, effect }) => wish === id && effect)
      if (word === undefined)
        return isDone || (wasPaid && !reads)
          ? [`F: ${job} is ${state}, says nothing of ${id}: ${answer}`]
          : []
      if (reads) return []
      const about = said.filter(({ wishes, was }) => wishes.includes(id) && was !== 'refused')
      const isSaid = (what: SaidLine['says']): boolean => about.some(({ says }) => says === what)
      if (word === 'paid' && !wasPaid && !isSaid('happened'))
        return [`F: ${job} says that ${id} was paid, and it was not`]
      return word === 'failed' && wasPaid && !isSaid('did-not-happen')
        ? [`F: ${job} says that ${id} failed, and it was paid`]
        : []
    })
  })
}

/** How long a call can come after its room was taken: a process is frozen, or waits. */
const latestCallMs = 12_000

/** K: no more calls of the model than what was allowed when their room was taken. */
function withinLimits({ paid }: Evidence): string[] {
  const calls = paid.filter(({ what }) => what === 'call')
  const rules = paid.flatMap((line) => (line.what === 'call' ? [] : [line]))
  for (const { at: now } of calls) {
    const past = rules.filter(({ at }) => at <= now)
    const before = past.findLast(({ at }) => at <= now - latestCallMs)
    // Before the first limit was old enough, the limit of the program held.
    if (!before) continue

    const most = Math.max(
      before.most,
      ...past.filter(({ at }) => at > now - latestCallMs).map((rule) => rule.most),
    )
    const forgotten = past.findLast(({ what }) => what === 'nothing spent')
    const from = forgotten ? forgotten.at + latestCallMs : -Infinity
    const spent = calls.filter(({ at }) => at <= now && at > from).length
    // A limit below what was spent lets nothing more begin; what had begun is spent.
    const spentBefore = calls.filter(({ at }) => at <= before.at + latestCallMs && at > from).length
    if (spent > Math.max(most, spentBefore))
      return [`K: ${spent} calls of the model, and ${most} were allowed`]
  }
  return []
}

/** G: a conversation has each message once. H: the model reads what was said before. */
function conversations({ sessions, reads, tasks, jobs }: Evidence): string[] {
  return sessions.flatMap(({ id, isWhole, messages }) => {
    if (!isWhole) return []
    const wrong: string[] = []
    const order = messages.flatMap(({ role, job }) => (role === 'user' && job ? [job] : []))
    for (const { job, state } of tasks) {
      const known = jobs.find(({ id: name }) => name === job)
      if (known?.session !== id || state !== 'completed') continue
      const count = order.filter((name) => name === job).length
      if (count !== 1) wrong.push(`G: ${id} has ${job} ${count} times`)
    }
    const hasWaited = (name: string): boolean =>
      tasks.some((task) => task.job === name && task.hasWaited)
    const open = new Set<string>()
    for (const { role, calls, result } of messages) {
      if (role !== 'tool' && open.size > 0)
        wrong.push(`G: ${id} has no result of ${[...open].join(', ')}`)
      if (role !== 'tool') open.clear()
      for (const call of calls) open.add(call)
      if (result !== undefined && !open.delete(result))
        wrong.push(`G: ${id} has a result of ${result}, and no such call`)
    }
    for (const { job, before } of reads) {
      const place = order.indexOf(job)
      if (place < 0 || hasWaited(job)) continue
      const front = order.slice(0, place).filter((name) => !hasWaited(name))
      const known = before.filter((name) => !hasWaited(name))
      if (front.join() !== known.join())
        wrong.push(`H: before ${job} the model read [${known.join()}], ${id} has [${front.join()}]`)
    }
    return [...new Set(wrong)]
  })
}
