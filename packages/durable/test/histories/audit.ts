// The auditor. It knows nothing of the product and imports nothing: it reads what the receiver has
// in its ledger, what people were told and what they said, and how everything stood in the end.
// The letters name the promises: docs/durable.md, "How it is tested".

/** A line of the receiver's ledger. */
export interface LedgerLine {
  readonly at: number
  /** When it was sent. */
  readonly sentAt: number
  /** The process that sent it. Unset: it came from elsewhere. */
  readonly by?: string
  readonly wish: string
  readonly key: string
  /** False if the receiver had the key already, or did not do it. */
  readonly effect: boolean
}

/** A step of a long preparation of a wish. */
export interface PreparedLine {
  readonly at: number
  readonly by: string
  readonly wish: string
  readonly key: string
}

/** A task that was over, as a person saw it. */
export interface SeenLine {
  readonly at: number
  readonly task: string
  readonly state: string
  readonly answer: string
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
  /** `refused`: by the limit. */
  | { readonly at: number; readonly what: 'call' | 'failed call' | 'refused' }
  /** Room for at most so many calls may have been taken that were never made. */
  | { readonly at: number; readonly what: 'may be lost'; readonly most: number }
  /** `nothing spent`: what was spent before is forgotten. */
  | { readonly at: number; readonly what: 'limit' | 'nothing spent'; readonly most: number }

export interface AuditedJob {
  readonly id: string
  readonly session?: string
  readonly wishes: readonly {
    readonly id: string
    readonly tool: string
    readonly reads: boolean
    /** How often it is wanted. */
    readonly count: number
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
  /** A server of tools failed so often that it may have been asked in vain. */
  readonly mayLackTools: boolean
  /** An operator limited the calls of the model. */
  readonly mayLackMoney: boolean
  /** A later message of its session came: one that waits may be cancelled for it. */
  readonly mayBeSuperseded: boolean
  /** When somebody heard that it is cancelled, if nothing kept its process from hearing so. */
  readonly cancelledAt?: number
  /** How many words a person added, also in vain. */
  readonly words: number
  /** Words that a person added, and that the store took. */
  readonly replies: readonly string[]
}

export interface AuditedTask {
  readonly job: string
  readonly id: string
  readonly state: string
  /** Since when, in milliseconds of the world; unset for a run. */
  readonly since?: number
  /** It waited for somebody, and gave the turn of its session away meanwhile. */
  readonly hasWaited: boolean
  /** The text of the answer: `J1.1=paid`, for each wish. */
  readonly answer: string
  /** Who can end it, if it is not over. */
  readonly waitsFor: readonly string[]
  /** The ids of its messages. */
  readonly messages: readonly string[]
  /** What people added to it, and what its handler said first. */
  readonly words: readonly string[]
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
  readonly prepared: readonly PreparedLine[]
  readonly seen: readonly SeenLine[]
  /** The tasks of the other agent, by what they were asked for. */
  readonly children: readonly {
    readonly id: string
    readonly job: string
    readonly wish: string
    readonly state: string
    readonly since: number
  }[]
  /** Ids of tasks, in the order in which they were stored. */
  readonly created: readonly string[]
  /** When a model first read that a wish failed. */
  readonly failures: readonly { readonly wish: string; readonly at: number }[]
  /** When everything was back. */
  readonly backAt: number
  /** How long the news of a cancel may take, in milliseconds. */
  readonly stopMs: number
  /** Runs and tasks that processes took, in order. */
  readonly claims: readonly { readonly at: number; readonly run: string; readonly by: string }[]
  /** The clocks of two processes may differ by most of a lease. */
  readonly clocksDiffer: boolean
  /** What was wrong in the rows at some moment. */
  readonly wrongRows: readonly string[]
  /** Messages that decide what nobody asked their sender, by their ids. */
  readonly misfits: readonly string[]
  /** What the calls of the model have taken in the end, and what is held for calls. */
  readonly budget?: { readonly spent: number; readonly held: number } | undefined
  readonly said: readonly SaidLine[]
  readonly paid: readonly PaidLine[]
  readonly jobs: readonly AuditedJob[]
  readonly tasks: readonly AuditedTask[]
  readonly sessions: readonly AuditedSession[]
  /** What the model read before a job of a session: the jobs in front of it. */
  readonly reads: readonly { readonly job: string; readonly before: readonly string[] }[]
  /** What pages read of replies, and the whole reply as the server has it in the end. */
  readonly readings: readonly {
    readonly task: string
    readonly isFromStart: boolean
    readonly events: readonly string[]
    readonly whole: readonly string[]
  }[]
  /** Jobs whose people were forgotten and did not send them again. */
  readonly forgotten: readonly string[]
  /** The jobs that rows of the databases name in the end, and the tables of these rows. */
  readonly named: readonly { readonly job: string; readonly table: string }[]
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
    ...toldModel(evidence),
    ...stopped(evidence),
    ...seenRightly(evidence),
    ...fenced(evidence),
    ...evidence.wrongRows.map((text) => `T: ${text}`),
    ...conversations(evidence),
    ...withinLimits(evidence),
    ...refusedRightly(evidence),
    ...countedRightly(evidence),
    ...shown(evidence),
    ...gone(evidence),
    ...evidence.internal.map((text) => `I: ${text}`),
  ]
}

/** What was done for a wish, in the order in which it was sent. */
const effectsOf = (ledger: Evidence['ledger'], id: string): readonly LedgerLine[] =>
  ledger
    .filter(({ wish, effect }) => wish === id && effect)
    .toSorted((one, other) => one.sentAt - other.sentAt)

/** A: paid at most once, unless somebody said before that it did not happen. */
function paidOnce({ ledger, said, jobs }: Evidence): string[] {
  return jobs.flatMap(({ wishes, isNewAgain }) =>
    wishes.flatMap(({ id, reads, count }) => {
      const effects = effectsOf(ledger, id)
      const excuses = said.filter(
        ({ wishes: about, says, was }) =>
          about.includes(id) && says === 'did-not-happen' && was !== 'refused',
      )
      const isTooMany = effects.some(({ sentAt }, place) => {
        const before = excuses.filter(({ at }) => at <= sentAt || sentAt === 0).length
        return place + 1 > count * (isNewAgain ? 2 : 1) + before
      })
      return reads || !isTooMany ? [] : [`A: ${id} was paid ${effects.length} times`]
    }),
  )
}

/** B: what needs an approval is done at most once for each approval. */
function approved({ ledger, said, jobs }: Evidence): string[] {
  return jobs.flatMap(({ wishes }) =>
    wishes.flatMap(({ id, tool }) => {
      if (tool !== 'signed' && tool !== 'keyedSigned') return []
      const effects = effectsOf(ledger, id)
      const about = said.filter(({ wishes: all, was }) => all.includes(id) && was !== 'refused')
      const yes = about.filter(({ says }) => says === 'approve' || says === 'did-not-happen')
      return effects.every(
        ({ sentAt }, place) => place < yes.filter(({ at }) => at <= sentAt || sentAt === 0).length,
      )
        ? []
        : [`B: ${id} was paid ${effects.length} times, approved ${yes.length} times`]
    }),
  )
}

/** C: what was accepted is there, once. D: a decision that was accepted is not asked for again. */
function kept({ jobs, tasks, said, misfits }: Evidence): string[] {
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
  const unread = jobs.flatMap(({ id, replies, mayEnd }) => {
    const task = tasks.find(({ job }) => job === id)
    if (!task || mayEnd) return []
    return replies
      .filter((reply) => !task.messages.includes(reply))
      .map((reply) => `C: ${id} accepted the message ${reply} and does not have it`)
  })
  const doubled = tasks.flatMap(({ job, messages, words }) => {
    const most = jobs.find(({ id }) => id === job)?.words ?? 0
    const added = words.filter((text) => text.startsWith('Continue'))
    const begun = words.filter((text) => text.startsWith('I begin'))
    return [
      ...(new Set(messages).size < messages.length ? [`C: ${job} has a message twice`] : []),
      ...(added.length > most ? [`C: ${job} has ${added.length} of ${most} words`] : []),
      ...(begun.length > 1 + added.length
        ? [`C: ${job} said ${begun.length} times that it begins`]
        : []),
    ]
  })
  const taken = tasks.flatMap(({ job, messages }) =>
    messages
      .filter((id) => misfits.includes(id))
      .map((id) => `D: ${job} took the decision ${id}, which was not its sender's to make`),
  )
  return [
    ...lost,
    ...unread,
    ...doubled,
    ...taken,
    ...again.map(({ owner, request }) => `D: ${owner} asks for ${request} again`),
  ]
}

/** E: everything ends or names who can end it; nothing fails or is cancelled without a reason. */
function ended({ jobs, tasks }: Evidence): string[] {
  return tasks.flatMap(({ job, state, waitsFor, answer, hasWaited }) => {
    const known = jobs.find(({ id }) => id === job)
    const isOver = over.includes(state)
    if (!isOver) return [`E: ${job} is ${state}, and waits for ${waitsFor.join(', ') || 'nobody'}`]
    if (known?.mayEnd) return []
    if (state === 'failed' && known?.endsAtFailure && /=(?:failed|unknown)/.test(answer)) return []
    if (state === 'failed' && known?.mayLackMoney && answer.includes('the budget of')) return []
    if (state === 'failed' && known?.mayLackModel && answer.includes('model call failed')) return []
    if (state === 'failed' && known?.mayLackTools && answer.includes('tools are missing')) return []
    if (state === 'cancelled' && !(known?.mayBeSuperseded && hasWaited))
      return [`E: nobody cancelled ${job}`]
    return state === 'completed' || state === 'final' || state === 'cancelled'
      ? []
      : [`E: ${job} is ${state}: ${answer}`]
  })
}

/** M: what was cancelled begins and continues nothing more, and its agents neither. */
function stopped({ jobs, ledger, prepared, tasks, children, backAt, stopMs }: Evidence): string[] {
  const lines = [...ledger.map((line) => ({ ...line, at: line.sentAt })), ...prepared]
  const later = jobs.flatMap(({ id: job, cancelledAt = Infinity, wishes }) => {
    const { state, since = 0 } = tasks.find((task) => task.job === job) ?? {}
    const overAt = state === 'cancelled' ? Math.max(since, backAt) + cancelMs : Infinity
    const stopAt = Math.min(cancelledAt + stopMs, overAt)
    return wishes.flatMap(({ id }) =>
      lines.some(({ wish, at }) => wish === id && at > stopAt)
        ? [`M: ${id} was sent or prepared after it was cancelled`]
        : [],
    )
  })
  const left = children.flatMap(({ id, job, wish, state, since }) => {
    const caller = tasks.find((task) => task.job === job)
    const known = jobs.find((one) => one.id === job)
    if (!caller) return []
    if (caller.state === 'cancelled' && !over.includes(state))
      return [`M: ${job} was cancelled, and its task ${id} of ${wish} is ${state}`]
    // A caller that is over has given up what it does not know.
    const isWanted = caller.since !== undefined && since < caller.since && !known?.mayEnd
    return state === 'cancelled' && isWanted && caller.state !== 'cancelled'
      ? [`E: nobody cancelled ${id} of ${wish}`]
      : []
  })
  return [...later, ...left]
}

/** R: what somebody has seen of a task that was over stays so. */
function seenRightly({ seen, tasks }: Evidence): string[] {
  const wrong = seen.flatMap(({ task: id, state, answer }) => {
    const task = tasks.find((one) => one.id === id)
    const first = seen.find((one) => one.task === id)
    if (first?.answer !== answer || first.state !== state)
      return [`R: ${id} was seen with two answers`]
    return task && task.state !== state ? [`R: ${id} was seen ${state}, and is ${task.state}`] : []
  })
  return [...new Set(wrong)]
}

/** How long the cancel of a task may need to reach its agents once everything is back. */
const cancelMs = 30_000

/** S: a process whose work another one took begins and continues nothing more of it. */
function fenced({ ledger, prepared, claims, clocksDiffer }: Evidence): string[] {
  const lines = [...ledger, ...prepared.map((line) => ({ ...line, sentAt: line.at }))]
  return lines.flatMap(({ wish, by, key, sentAt }) => {
    // The run of a handler's effects has the number of its turn behind its task.
    const [id = ''] = key.split(/\.\d+\/|\//)
    const all = claims.filter(({ run, at }) => (run === id || run === `task:${id}`) && at <= sentAt)
    const last = all.at(-1)
    const isLate = last !== undefined && sentAt > last.at + (clocksDiffer ? skewMs : 1)
    return isLate && by !== undefined && by !== last.by
      ? [`S: ${by} worked on ${wish} at ${sentAt}, and ${last.by} has it since ${last.at}`]
      : []
  })
}

/** How early a process may take work whose clock is ahead, in milliseconds. */
const skewMs = 1500

/** F: the answer of a finished task says what was done and what was not. */
function told({ jobs, tasks, ledger, said }: Evidence): string[] {
  return tasks.flatMap(({ job, state, answer }) => {
    const known = jobs.find(({ id }) => id === job)
    const isDone = state === 'completed' || state === 'final'
    if (!known || known.mayEnd || !(isDone || state === 'failed')) return []
    // A run without its tools can be opened again, and its journal has what was done.
    if (known.mayLackTools && answer.startsWith('tools are missing')) return []
    return known.wishes.flatMap(({ id, reads, count }) => {
      const words = [...answer.matchAll(new RegExp(`${id.replace('.', '\\.')}=(\\w+)`, 'g'))]
      const last = words.findLast(([, one]) => one === 'paid') ?? words.at(-1)
      const word = last?.[1]
      const wasPaid = ledger.some(({ wish, effect }) => wish === id && effect)
      if (word === undefined)
        return isDone || (wasPaid && !reads)
          ? [`F: ${job} is ${state}, says nothing of ${id}: ${answer}`]
          : []
      if (reads) return []
      const about = said.filter(({ wishes, was }) => wishes.includes(id) && was !== 'refused')
      if (count > 1) {
        const told = words.filter(([, one]) => one === 'paid').length
        const done = effectsOf(ledger, id).length
        return told > done && !about.some(({ says }) => says === 'happened')
          ? [`F: ${job} says that ${id} was paid ${told} times, and it was ${done} times`]
          : []
      }
      const isSaid = (what: SaidLine['says']): boolean => about.some(({ says }) => says === what)
      if (word === 'paid' && !wasPaid && !isSaid('happened'))
        return [`F: ${job} says that ${id} was paid, and it was not`]
      return word === 'failed' && wasPaid && !isSaid('did-not-happen')
        ? [`F: ${job} says that ${id} failed, and it was paid`]
        : []
    })
  })
}

/** F: a model does not read that something failed which was done by then. */
function toldModel({ failures, ledger, said, jobs }: Evidence): string[] {
  return failures.flatMap(({ wish, at: readAt }) => {
    const known = jobs.flatMap(({ wishes }) => wishes).find(({ id }) => id === wish)
    const wasPaid = ledger.some((line) => line.wish === wish && line.effect && line.at < readAt)
    const isExcused = said.some(
      ({ wishes, says, was }) =>
        wishes.includes(wish) &&
        was !== 'refused' &&
        (says === 'did-not-happen' || says === 'deny'),
    )
    return known?.count === 1 && !known.reads && wasPaid && !isExcused
      ? [`F: a model read that ${wish} failed, and it was paid`]
      : []
  })
}

type Rule = PaidLine & { readonly what: 'limit' | 'nothing spent' }
const rulesOf = (paid: Evidence['paid']): readonly Rule[] =>
  paid.flatMap((line) => (line.what === 'limit' || line.what === 'nothing spent' ? [line] : []))

/** How long a call can come after its room was taken: a process is frozen, or waits. */
const latestCallMs = 12_000

/** K: no more calls of the model than what was allowed when their room was taken. */
function withinLimits({ paid }: Evidence): string[] {
  const calls = paid.filter(({ what }) => what === 'call')
  const rules = rulesOf(paid)
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

/** K: a call is refused only if it does not fit, counting all that may be under way. */
function refusedRightly({ paid }: Evidence): string[] {
  const rules = rulesOf(paid)
  return paid.flatMap(({ at: now, what }) => {
    if (what !== 'refused') return []
    const isOld = ({ at }: PaidLine): boolean => at <= now - latestCallMs
    const before = rules.findLast(isOld)
    const recent = rules.filter((rule) => !isOld(rule) && rule.at <= now + 500)
    const most = Math.min(...[...(before ? [before] : []), ...recent].map((rule) => rule.most))
    const from = rules.findLast((rule) => rule.what === 'nothing spent' && isOld(rule))?.at ?? -1
    const counted = paid.filter(({ at }) => at > from && at <= now + latestCallMs)
    const spent = counted
      .map((line) => {
        if (line.what === 'may be lost') return line.most
        return line.what === 'call' || line.what === 'failed call' ? 1 : 0
      })
      .reduce((sum: number, count) => sum + count, 0)
    return spent < most ? [`K: a call was refused, and ${spent} of ${most} were made`] : []
  })
}

/** K: what is counted is what was called, and nothing is held for a call that is over. */
function countedRightly({ paid, budget }: Evidence): string[] {
  if (!budget) return []
  const isRemoved = paid.some(({ what }) => what === 'nothing spent')
  const calls = paid.filter(({ what }) => what === 'call').length
  const failed = paid.filter(({ what }) => what === 'failed call').length
  const lost = paid
    .map((line) => (line.what === 'may be lost' ? line.most : 0))
    .reduce((sum: number, count) => sum + count, 0)
  const { spent, held } = budget
  if (held > lost) return [`K: ${held} calls hold room and are over`]
  if (isRemoved) return []
  return spent < calls || spent > calls + failed + lost
    ? [`K: ${spent} calls are counted, ${calls} were made and ${failed} failed`]
    : []
}

/** P: a page that reads a reply in parts has each event once, in order. */
function shown({ readings }: Evidence): string[] {
  return readings.flatMap(({ task, isFromStart, events, whole }) => {
    const [first] = events
    if (first === undefined) return []
    const start = isFromStart ? 0 : whole.indexOf(first)
    const place = events.findIndex((event, index) => event !== whole[start + index])
    return place < 0
      ? []
      : [`P: a page read ${events[place]} of ${task}, and the reply has ${whole[start + place]}`]
  })
}

/** L: what was forgotten is gone, here and where it was handed on. */
function gone({ forgotten, named }: Evidence): string[] {
  return named.flatMap(({ job, table }) =>
    forgotten.includes(job) ? [`L: ${job} was forgotten, and a row of ${table} names it`] : [],
  )
}

/** G: a conversation has each message once. H: the model reads what was said before. */
function conversations({ sessions, reads, tasks, jobs, created }: Evidence): string[] {
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
    // Its tasks have the turn in the order in which their messages came.
    const placeOf = (name: string): number =>
      created.indexOf(tasks.find(({ job }) => job === name)?.id ?? '')
    const places = order.filter((name) => !hasWaited(name)).map((name) => placeOf(name))
    if (places.some((place, index) => place >= 0 && place < (places[index - 1] ?? -1)))
      wrong.push(`G: ${id} has its messages in the order ${order.join()}`)
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
