import type { LoggedReply } from './case-address.js'
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
  /** Gets the same reply by hand; set where the check failed, as the fields below are. */
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

/** One client at one wire: what it was served, and what its user saw. */
export class Run {
  readonly registration: Registration
  readonly wire: Wire
  readonly cases: ReadonlyMap<string, ServedCase>
  readonly #observations = new Map<string, NotApplicable | Observation>()
  readonly #log = new Map<string, LoggedReply[]>()

  constructor(registration: Registration) {
    this.registration = registration
    this.wire = wires[registration.wire]
    this.cases = new Map(servedCases(this.wire).map((one) => [one.id, one]))
  }

  /** Requests of a case so far, with the replies to them. */
  log(id: string): LoggedReply[] {
    const log = this.#log.get(id) ?? []
    this.#log.set(id, log)
    return log
  }

  /** Keeps an observation, and gives what it shows. The last one of a case counts. */
  observe(observation: NotApplicable | Observation): readonly Check[] {
    const one = this.cases.get(observation.case)
    if (!one) throw new TypeError(`case: there is no "${observation.case}"`)
    this.#observations.set(one.id, observation)
    return this.#checksOf(one, observation)
  }

  /** All checks so far; `root` is the address of the server. */
  report(root: string): RunReport {
    const { client, version, wire } = this.registration
    const checks: ReportedCheck[] = []
    const missing: string[] = []
    for (const one of this.cases.values()) {
      const observation = this.#observations.get(one.id)
      if (!observation) missing.push(one.id)
      else
        checks.push(
          ...this.#checksOf(one, observation).map((check) => this.#reported(one, check, root)),
        )
    }
    const groups: Partial<Record<RuleGroup, Tally>> = {}
    for (const { group, state } of checks) {
      const tally = (groups[group] ??= { passed: 0, failed: 0, notApplicable: 0 })
      tally[state === 'not-applicable' ? 'notApplicable' : state]++
    }
    return { client, version, wire, groups, missing, checks }
  }

  #checksOf(one: ServedCase, observation: NotApplicable | Observation): readonly Check[] {
    if ('notApplicable' in observation)
      return one.rules.map((rule) => ({
        rule,
        state: 'not-applicable',
        found: observation.notApplicable,
      }))
    const { expected } = one
    const like =
      expected.kind === 'reply' && expected.like !== undefined
        ? this.#observations.get(expected.like)
        : undefined
    return judge(one, {
      wire: this.wire,
      observation,
      requests: this.log(one.id).map(({ request }) => request),
      lacks: this.registration.lacks,
      like: like && 'turns' in like ? like : undefined,
    })
  }

  #reported(one: ServedCase, check: Check, root: string): ReportedCheck {
    const rule = servedRules[check.rule]
    const source = rule.source(this.wire)
    const log = this.log(one.id)
    return {
      ...check,
      case: one.id,
      title: one.title,
      group: rule.group,
      sentence: rule.sentence,
      ...(source !== undefined && { source }),
      ...(check.state === 'failed' && {
        curl: curlOf(this.wire, one, root),
        served: log.flatMap(({ chunks }) => chunks),
        sent: log.map(({ request }) => request.body),
      }),
    }
  }
}

/** One line that gets the first reply of a case by hand. */
function curlOf(wire: Wire, { id, ask }: ServedCase, root: string): string {
  const path = wire.paths[ask.stream ? 'stream' : 'whole']
  const body = JSON.stringify(wire.sample(ask.messages[0]?.content ?? '', ask.stream))
  return `curl -sN '${root}/${wire.name}/${id}${path}' -H 'content-type: application/json' -d '${body}'`
}
