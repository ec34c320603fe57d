import { canonical } from '../assert.js'
import { codesByStatus } from '../case-data.js'
import { parseJsonOrText } from '../json-text.js'
import type { ScriptTurn } from '../script.js'
import type { WireConversation, WireConversationMessage, WireRequest } from '../wire-format.js'
import type { ServedCase } from './cases.js'
import type { Lacking, Observation, ObservedTurn } from './observation.js'
import type { RuleName } from './rules.js'
import { hasIds, type Wire } from './wires.js'

/** What became of one rule in one case. */
export interface Check {
  /** Name of the rule. */
  readonly rule: RuleName
  /** Whether what was seen is what the rule asks for. */
  readonly state: 'failed' | 'not-applicable' | 'passed'
  /** What had to be seen; set where it failed. */
  readonly expected?: string
  /** What was seen, or why the rule does not apply. */
  readonly found?: string
}

/** What a judge knows of a case. */
export interface Evidence {
  readonly wire: Wire
  readonly observation: Observation
  /** What the client sent in this case. */
  readonly requests: readonly WireRequest[]
  /** What it sent where the API has nothing, each as method and path. */
  readonly strays?: readonly string[]
  /** What the client lacks, as it said. */
  readonly lacks: Readonly<Partial<Record<Lacking, string>>>
  /** What the same client showed of the same reply in its usual bytes. */
  readonly like?: Observation | undefined
}

/** What breaks a rule; undefined if the client keeps it. */
type Problem = { readonly expected: string; readonly found: string } | undefined

const problem = (expected: string, actual: unknown): Problem => ({
  expected,
  found: typeof actual === 'string' ? actual : canonical(actual),
})
const unless = (holds: boolean, expected: string, actual: unknown): Problem =>
  holds ? undefined : problem(expected, actual)

/** Every rule of a case, held against what the client showed and sent. */
export function judge(one: ServedCase, evidence: Evidence): readonly Check[] {
  return one.rules.map((rule): Check => {
    const lack =
      (rule in evidence.lacks ? evidence.lacks[rule as Lacking] : undefined) ??
      (rule === 'usage' ? withoutCounts(evidence) : undefined)
    if (lack !== undefined) return { rule, state: 'not-applicable', found: lack }
    if (isWhole(rule) && evidence.like?.error)
      return {
        rule,
        state: 'not-applicable',
        found: 'the same reply as it is written usually failed',
      }
    const failure = problemOf(rule, one, evidence)
    return failure ? { rule, state: 'failed', ...failure } : { rule, state: 'passed' }
  })
}

/** Why the API gave the client no counts, if so. */
const withoutCounts = ({ wire, requests }: Evidence): string | undefined =>
  requests.every((request) => wire.hasCounts?.(request) ?? true)
    ? undefined
    : 'the request did not ask for counts: stream_options.include_usage'

function problemOf(rule: RuleName, one: ServedCase, evidence: Evidence): Problem {
  const { observation, requests, strays = [], wire } = evidence
  const { expected } = one
  if (!requests.length)
    return problem(
      `a request to ${wire.paths[one.ask.stream ? 'stream' : 'whole']} at the address of the case`,
      strays.length ? `none came there, but ${strays.join(', ')}` : 'none came',
    )
  if (rule === 'accepted' || rule === 'documented-fields') return accepted(rule, wire, requests)
  if (rule === 'error-text')
    return unless(
      observation.error?.message.includes(textOf(one)) ?? false,
      `an error with the text "${textOf(one)}"`,
      shown(observation),
    )
  if (rule === 'early-end-is-an-error')
    return unless(Boolean(observation.error), 'an error', shown(observation))
  if (expected.kind === 'error') return failure(expected.status, observation)
  if (expected.kind === 'cut') return cut(one, observation)
  if (expected.kind === 'unknown-finish') return unknownFinish(observation)
  return reply(rule, one, evidence)
}

const textOf = ({ expected }: ServedCase): string =>
  expected.kind === 'error' ? (expected.text ?? '') : ''

/** What was shown, in one line. */
const shown = ({ turns, error }: Observation): string =>
  canonical({ turns, ...(error && { error }) })

/** Violations of the schema that a server may accept: they count for documented fields only. */
const lenientForms: readonly RegExp[] = [
  /Unrecognized key|unknown field/,
  /^(?!messages|contents|input).*Too small: expected array/,
  // Ids of Ollama, the name of a result's tool, and `strict` of OpenAI's tools.
  /expected nonoptional|tool_name: Invalid|^tools\[\d+\]\.type: Invalid input$/,
]
const isLenient = (violation: string): boolean => lenientForms.some((form) => form.test(violation))

function accepted(
  rule: 'accepted' | 'documented-fields',
  { format }: Wire,
  requests: readonly WireRequest[],
): Problem {
  for (const [index, request] of requests.entries()) {
    const broken = format
      .violations(request)
      .filter((violation) => isLenient(violation) === (rule === 'documented-fields'))
    if (broken.length)
      return problem(
        rule === 'accepted'
          ? 'a request that the API accepts'
          : 'a request with documented fields only, and no list that is empty',
        `request ${index}: ${broken.join('; ')}: ${canonical(request.body)}`,
      )
  }
  return undefined
}

/** The status itself, in a field or in the text, or a word of its kind. */
function failure(status: number | undefined, { error, ...observation }: Observation): Problem {
  if (!error) return problem('an error', shown({ ...observation, error }))
  if (status === undefined) return undefined
  const words = (codesByStatus.get(status) ?? []).flatMap((code) => [code, ...(kinds[code] ?? [])])
  const kind = plain(error.kind ?? '')
  const isNamed =
    error.status === status ||
    error.message.includes(String(status)) ||
    words.some((word) => kind.includes(plain(word)))
  return unless(isNamed, `an error of status ${status}`, error)
}

const plain = (word: string): string => word.toLowerCase().replace(/[^a-z0-9]/g, '')

/** Words by which clients call the codes of a status. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  'invalid-request': ['badrequest', 'unprocessable', 'invalid_argument', 'too_large'],
  auth: ['authentication', 'unauthorized', 'unauthenticated'],
  permission: ['forbidden'],
  'not-found': [],
  'rate-limit': ['resource_exhausted', 'too_many_requests'],
  server: ['api_error', 'internal'],
  overloaded: ['unavailable'],
}

/** The client may show the text so far, but no finish reason that says that the reply is whole. */
function cut({ turns: [script] }: ServedCase, observation: Observation): Problem {
  const { turns, error } = observation
  const text = (script?.text ?? []).join('')
  const [turn] = turns
  if (turn?.text && !text.startsWith(turn.text))
    return problem(`a beginning of ${canonical(text)}`, turn.text)
  if (error) return undefined
  const reason = finishOf(turn?.finish)
  return unless(
    !(goodEnds as readonly (string | undefined)[]).includes(reason),
    'an error, or a reply without the reason why it ended',
    shown(observation),
  )
}

function unknownFinish({ turns: [turn], ...observation }: Observation): Problem {
  const reason = finishOf(turn?.finish)
  return unless(
    Boolean(observation.error) || (reason !== 'stop' && reason !== 'tool-calls'),
    'no reason, an unknown one, or an error',
    turn,
  )
}

const goodEnds = ['stop', 'length', 'tool-calls', 'content-filter'] as const
const words: Readonly<Record<string, (typeof goodEnds)[number]>> = {
  stop: 'stop',
  endturn: 'stop',
  completed: 'stop',
  length: 'length',
  maxtokens: 'length',
  maxoutputtokens: 'length',
  incompletemaxoutputtokens: 'length',
  toolcalls: 'tool-calls',
  tooluse: 'tool-calls',
  functioncall: 'tool-calls',
  contentfilter: 'content-filter',
  incompletecontentfilter: 'content-filter',
  refusal: 'content-filter',
  safety: 'content-filter',
}

/** The reason in one vocabulary; undefined: none, or an unknown one. */
const finishOf = (word: string | null | undefined): string | undefined => words[plain(word ?? '')]

function reply(rule: RuleName, one: ServedCase, evidence: Evidence): Problem {
  const { observation, wire, requests, like } = evidence
  const { turns } = one
  if (rule === 'malformed-arguments' || rule === 'cut-call') return malformed(one, observation)
  if (isFiltered(one, observation))
    return rule === 'text'
      ? aspects.text(turns[0] as ScriptTurn, observation.turns[0] ?? {}, wire)
      : undefined
  if (observation.error || observation.turns.length !== turns.length)
    return problem(
      `${turns.length} ${turns.length === 1 ? 'reply' : 'replies'} and no error`,
      shown(observation),
    )
  if (rule === 'results') return results(one, wire, requests)
  const pairs = turns.map((script, index) => ({
    script,
    turn: observation.turns[index] as ObservedTurn,
    usual: like?.turns[index],
  }))
  for (const { script, turn, usual } of pairs) {
    const failure = isWhole(rule)
      ? whole(script, turn, usual)
      : aspects[rule as Aspect](script, turn, wire)
    if (failure) return failure
  }
  return rule === 'missing-ids' ? uniqueIds(observation) : undefined
}

/** Rules of which a check looks at the whole reply. */
const ofWholeReplies: readonly RuleName[] = [
  'after-the-end',
  'lenient-framing',
  'line-ends',
  'missing-ids',
  'no-arguments',
  'retry',
  'split',
]
const isWhole = (rule: RuleName): boolean => ofWholeReplies.includes(rule)

/** Content that the vendor filtered, which a client may show as an error with the text so far. */
const isFiltered = ({ turns }: ServedCase, { error, turns: shownTurns }: Observation): boolean =>
  turns[0]?.finish === 'content-filter' && Boolean(error) && shownTurns.length === 1

/** The same as in the case of the usual reply, or else as the script. */
function whole(script: ScriptTurn, turn: ObservedTurn, usual: ObservedTurn | undefined): Problem {
  const summary = ({ text, calls }: ObservedTurn): object => ({
    text: text ?? '',
    calls: (calls ?? []).map(({ name, arguments: values }) => [name, argumentsOf(values)]),
  })
  const expected = summary(
    usual ?? { text: (script.text ?? []).join(''), calls: script.toolCalls ?? [] },
  )
  return unless(canonical(summary(turn)) === canonical(expected), canonical(expected), turn)
}

/** Arguments as a value; an empty text stands for no arguments. */
function argumentsOf(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? {}
  return value.trim() ? parseJsonOrText(value) : {}
}

type Aspect = 'call-ids' | 'calls' | 'finish' | 'reasoning' | 'text' | 'usage'

const aspects: Readonly<
  Record<Aspect, (script: ScriptTurn, turn: ObservedTurn, wire: Wire) => Problem>
> = {
  text: (script, turn) => same((script.text ?? []).join(''), turn.text ?? ''),
  // White space at its ends is a matter of taste.
  reasoning: (script, turn) =>
    same((script.reasoning ?? []).join(''), (turn.reasoning ?? '').trim()),
  calls: ({ toolCalls = [] }, { calls }) =>
    same(
      toolCalls.map(({ name, arguments: values }) => ({ name, arguments: values })),
      (calls ?? []).map(({ name, arguments: values }) => ({
        name,
        arguments: argumentsOf(values),
      })),
    ),
  // A client may put its own next to it.
  'call-ids': ({ toolCalls = [] }, { calls }) => {
    const isGiven = toolCalls.every(({ id = '' }, index) => calls?.[index]?.id?.includes(id))
    return unless(
      isGiven,
      canonical(toolCalls.map(({ id }) => id)),
      (calls ?? []).map(({ id }) => id),
    )
  },
  finish: ({ finish, toolCalls }, turn) => {
    const reason = finishOf(turn.finish)
    // Some APIs end a reply with calls by the word for a good end.
    const isFit = reason === finish || (finish === 'tool-calls' && toolCalls && reason === 'stop')
    return unless(Boolean(isFit), finish, turn.finish ?? 'none')
  },
  usage: ({ usage: counts }, turn, { name }) => {
    const { inputTokens = 0, outputTokens = 0 } = counts
    // The API of Messages counts cached tokens apart, and that of Gemini reasoning: a client may
    // show its counts as they are, or add them.
    const cached = (counts.cacheReadTokens ?? 0) + (counts.cacheCreationTokens ?? 0)
    const inputs = name === 'messages' ? [inputTokens, inputTokens - cached] : [inputTokens]
    const outputs =
      name === 'gemini'
        ? [outputTokens, outputTokens - (counts.reasoningTokens ?? 0)]
        : [outputTokens]
    const { input, output } = turn.usage ?? {}
    return unless(
      inputs.includes(input ?? -1) && outputs.includes(output ?? -1),
      `input ${anyOf(inputs)}, output ${anyOf(outputs)}`,
      turn.usage ?? 'none',
    )
  },
}

const anyOf = (counts: readonly number[]): string => [...new Set(counts)].join(' or ')

const same = (expected: unknown, actual: unknown): Problem =>
  unless(canonical(expected) === canonical(actual), canonical(expected), canonical(actual))

/** As the model wrote them, or marked as unusable, or, if the limit cut them, left out. */
function malformed({ turns: [script] }: ServedCase, observation: Observation): Problem {
  if (observation.error) return undefined
  const { calls, finish } = observation.turns[0] ?? {}
  for (const { name, argumentsText } of script?.toolCalls ?? []) {
    if (argumentsText === undefined) continue
    const isShown = (calls ?? []).some(
      (call) =>
        Boolean(call.error) ||
        call.arguments === argumentsText ||
        canonical(call.arguments) === canonical(parseJsonOrText(argumentsText)),
    )
    const isLeftOut = !calls?.length && finishOf(finish) === 'length'
    if (!isShown && !isLeftOut)
      return problem(
        `the call of ${name} with the text ${argumentsText}, or with an error, or an error`,
        shown(observation),
      )
  }
  return undefined
}

function uniqueIds({ turns }: Observation): Problem {
  const ids = turns.flatMap(({ calls }) => (calls ?? []).map(({ id }) => id))
  return unless(
    ids.every(Boolean) && new Set(ids).size === ids.length,
    'an id for each call, none twice',
    ids,
  )
}

/** The last request has every call in order, and each with its result. */
function results(
  { turns, ask }: ServedCase,
  wire: Wire,
  requests: readonly WireRequest[],
): Problem {
  const last = requests.at(-1) as WireRequest
  let conversation: WireConversation
  try {
    conversation = wire.format.read(last)
  } catch (error) {
    return problem('a request that can be read', `${String(error)}: ${canonical(last.body)}`)
  }
  const calls = turns
    .slice(0, -1)
    .flatMap(({ toolCalls = [] }) => toolCalls)
    .map(({ name, arguments: values }) => [name, values])
  const replies = repliesOf(conversation)
  const sent = replies
    .flatMap((one) => one.calls)
    .map(({ name, arguments: values }) => [name, argumentsOf(values)])
  if (canonical(sent) !== canonical(calls))
    return problem(`calls ${canonical(calls)} in the last request`, canonical(last.body))
  const expected = ask.toolResults.flat()
  return hasIds(wire) ? byIds(replies, expected, last) : byOrder(replies, expected, last)
}

type Sent<Role extends WireConversationMessage['role']> = Extract<
  WireConversationMessage,
  { role: Role }
>

/** The calls of a reply that a request repeats, and the results after it. */
interface SentReply {
  readonly calls: Sent<'assistant'>['toolCalls']
  readonly results: Sent<'tool'>[]
}

function repliesOf({ messages }: WireConversation): readonly SentReply[] {
  const replies: SentReply[] = []
  for (const message of messages) {
    if (message.role === 'assistant') replies.push({ calls: message.toolCalls, results: [] })
    else if (message.role === 'tool') replies.at(-1)?.results.push(message)
  }
  return replies
}

/** Each call has one result with its id, which has the text for this call. */
function byIds(
  replies: readonly SentReply[],
  expected: readonly string[],
  { body }: WireRequest,
): Problem {
  const pairs = replies.flatMap(({ calls, results }) =>
    calls.map(({ id }) => ({ id, matches: results.filter(({ callId }) => callId === id) })),
  )
  for (const [index, { id, matches }] of pairs.entries()) {
    const text = expected[index] ?? ''
    if (matches.length !== 1 || !matches[0]?.text.includes(text))
      return problem(
        `one result of the call ${id}, "${text}"`,
        `${canonical(matches.map((one) => one.text))}: ${canonical(body)}`,
      )
  }
  return undefined
}

/** The results are in the order of the calls, and have their names where they have one. */
function byOrder(
  replies: readonly SentReply[],
  expected: readonly string[],
  { body }: WireRequest,
): Problem {
  for (const { calls, results } of replies)
    for (const [index, { name }] of results.entries())
      if (name !== undefined && name !== calls[index]?.name)
        return problem(
          `result ${index} with the name ${String(calls[index]?.name)}`,
          `${name}: ${canonical(body)}`,
        )
  const text = JSON.stringify(body)
  let from = 0
  for (const result of expected) {
    const at = text.indexOf(result, from)
    if (at < 0)
      return problem(
        `the result "${result}" in the last request, in the order of the calls`,
        canonical(body),
      )
    from = at + result.length
  }
  return undefined
}
