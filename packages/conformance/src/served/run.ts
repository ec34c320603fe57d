import { type LoggedReply, withoutAddress } from './case-address.js'
import { type ServedCase, servedCases } from './cases.js'
import { type Check, judge } from './judge.js'
import type { NotApplicable, Observation, Registration } from './observation.js'
import { type RuleGroup, servedRules } from './rules.js'
import { type Wire, wires } from './wires.js'

/** How many checks of a group ended in each way. */
export interface Tally {
  /** Checks that found what the rule asks for. */
  passed: number
  /** Checks that found something else. */
  failed: number
  /** Checks that do not apply to this client, or to what it was asked. */
  notApplicable: number
}

/** A check with all that a reader needs to believe it, or to dispute it. */
export interface ReportedCheck extends Check {
  /** Id of the case. */
  readonly case: string
  /** What the case is about, for people. */
  readonly title: string
  /** The group of the rule. */
  readonly group: RuleGroup
  /** The rule in one sentence. */
  readonly sentence: string
  /** Where it is written; none: it is our view. */
  readonly source?: string
  /**
   * Gets the same replies by hand, a line for each request of the client, with its own body; a line
   * with the smallest body if none came. Set where the check failed, as the fields below are.
   */
  readonly curl?: string
  /** What the server wrote, a line a chunk. */
  readonly served?: readonly string[]
  /** Bodies of the client's requests. */
  readonly sent?: readonly unknown[]
}

/** The report on a client. */
export interface RunReport {
  /** Name of the client, as it was registered. */
  readonly client: string
  /** Version of the client, as it was registered. */
  readonly version: string
  /** Name of the API that the client was asked through, as it was registered. */
  readonly wire: string
  /** The checks of each group, counted. */
  readonly groups: Readonly<Partial<Record<RuleGroup, Tally>>>
  /** Cases of which the driver posted nothing. */
  readonly missing: readonly string[]
  /** One for each rule of each case. */
  readonly checks: readonly ReportedCheck[]
}

/** What came to the address of a case. */
export interface CaseLog {
  /** The requests so far, with the replies to them. */
  readonly replies: LoggedReply[]
  /** The requests to a path that the API does not have, each as method and path. */
  readonly strays: string[]
}

/** An observation with the requests that came for it. */
interface Observed {
  readonly observation: NotApplicable | Observation
  readonly log: CaseLog
}

/** One client at one wire: what it was served, and what its user saw. */
export class Run {
  readonly registration: Registration
  readonly wire: Wire
  readonly cases: ReadonlyMap<string, ServedCase>
  readonly #observed = new Map<string, Observed>()
  readonly #logs = new Map<string, CaseLog>()

  constructor(registration: Registration) {
    this.registration = registration
    this.wire = wires[registration.wire]
    this.cases = new Map(servedCases(this.wire).map((one) => [one.id, one]))
  }

  /** What came of a case since its last observation. */
  log(id: string): CaseLog {
    const log = this.#logs.get(id) ?? { replies: [], strays: [] }
    this.#logs.set(id, log)
    return log
  }

  /**
   * Keeps an observation with the requests before it, and gives what it shows. The last one of a
   * case counts; if no request came since the one before, it is of the same requests.
   */
  observe(observation: NotApplicable | Observation): readonly Check[] {
    const one = this.cases.get(observation.case)
    if (!one) throw new TypeError(`case: there is no "${observation.case}"`)
    const log = this.#logs.get(one.id) ?? this.#observed.get(one.id)?.log ?? this.log(one.id)
    this.#logs.delete(one.id)
    const observed = { observation, log }
    this.#observed.set(one.id, observed)
    return this.#checksOf(one, observed)
  }

  /** All checks so far; `root` is the address of the server. */
  report(root: string): RunReport {
    const { client, version, wire } = this.registration
    const checks: ReportedCheck[] = []
    const missing: string[] = []
    for (const one of this.cases.values()) {
      const observed = this.#observed.get(one.id)
      if (!observed) missing.push(one.id)
      else
        checks.push(
          ...this.#checksOf(one, observed).map((check) =>
            this.#reported(one, check, observed.log, root),
          ),
        )
    }
    const groups: Partial<Record<RuleGroup, Tally>> = {}
    for (const { group, state } of checks) {
      const tally = (groups[group] ??= { passed: 0, failed: 0, notApplicable: 0 })
      tally[state === 'not-applicable' ? 'notApplicable' : state]++
    }
    return { client, version, wire, groups, missing, checks }
  }

  #checksOf(one: ServedCase, { observation, log }: Observed): readonly Check[] {
    if ('notApplicable' in observation)
      return one.rules.map((rule) => ({
        rule,
        state: 'not-applicable',
        found: observation.notApplicable,
      }))
    const { expected } = one
    const like =
      expected.kind === 'reply' && expected.like !== undefined
        ? this.#observed.get(expected.like)?.observation
        : undefined
    return judge(one, {
      wire: this.wire,
      observation,
      requests: log.replies.map(({ request }) => request),
      strays: log.strays,
      lacks: this.registration.lacks,
      like: like && 'turns' in like ? like : undefined,
    })
  }

  #reported(one: ServedCase, check: Check, { replies }: CaseLog, root: string): ReportedCheck {
    const rule = servedRules[check.rule]
    const source = rule.source(this.wire)
    return {
      ...check,
      case: one.id,
      title: one.title,
      group: rule.group,
      sentence: rule.sentence,
      ...(source !== undefined && { source }),
      ...(check.state === 'failed' && {
        curl: curlOf(this.wire, one, replies, root),
        served: replies.flatMap(({ chunks }) => chunks),
        sent: replies.map(({ request }) => request.body),
      }),
    }
  }
}

/** Lines that get the replies of a case by hand: what the client sent, each request once. */
function curlOf(
  wire: Wire,
  { id, ask }: ServedCase,
  replies: readonly LoggedReply[],
  root: string,
): string {
  const prompt = ask.messages[0]?.content ?? ''
  const byHand = {
    path: wire.paths[ask.stream ? 'stream' : 'whole'],
    body: wire.sample(prompt, ask.stream),
  }
  const sent = replies.length
    ? replies.map(({ request: { path, body } }) => ({ path: withoutAddress(path), body }))
    : [byHand]
  const lines = sent.map(
    ({ path, body }) =>
      `curl -sN ${quoted(`${root}/${wire.name}/${id}${path}`)} -H 'content-type: application/json' -d ${quoted(textOf(body))}`,
  )
  return [...new Set(lines)].join('\n')
}

/** A body as it came: it is a text if it was not JSON. */
const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))

/** A text as a shell reads it. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
