import type { ToolDefinition } from '@modelport/core'
import {
  brokenRecords,
  codesByStatus,
  disguisedScripts,
  errorBodyText,
  failingScripts,
  htmlFailure,
  inBandErrorText,
  signInPage,
  splits,
} from '../case-data.js'
import { cannotSay } from '../expectation.js'
import { type ReplyStep, type ServerReply, toBytes, toReply, withBody } from '../memory-server.js'
import type { Script, ScriptTurn } from '../script.js'
import { scriptNamed, scripts, scriptTools } from '../scripts.js'
import type { WireRequest, WireResponse } from '../wire-format.js'
import { brokenPiece, disguises, inBytes } from '../wire-text.js'
import type { RuleName } from './rules.js'
import { hasIds, type Wire } from './wires.js'

/** What a case asks a client to do. */
export interface Ask {
  readonly model: string
  readonly stream: boolean
  readonly messages: readonly { readonly role: 'user'; readonly content: string }[]
  readonly tools: readonly ToolDefinition[]
  /** Results of the calls, by turn and by call. None: the conversation ends with the reply. */
  readonly toolResults: readonly (readonly string[])[]
  readonly maxTokens: number
  /** How often a client may try again at most. */
  readonly retries: number
}

/** What has to come out of a case. */
export type Expected =
  /** The turns of the script; `like` is the case with the same reply as it is written usually. */
  | { readonly kind: 'reply'; readonly like?: string }
  /** Nothing that looks whole. */
  | { readonly kind: 'cut' }
  /** An error. */
  | { readonly kind: 'error'; readonly status?: number; readonly text?: string }
  /** A reason that is not a good one. */
  | { readonly kind: 'unknown-finish' }

/** A case of the suite: what to ask, what the server does, what the client's user has to see. */
export interface ServedCase {
  /** Its name in addresses, for example `unicode-stream`. */
  readonly id: string
  readonly title: string
  readonly rules: readonly RuleName[]
  readonly ask: Ask
  readonly turns: readonly ScriptTurn[]
  readonly expected: Expected
  /** The reply to a request of the nth turn, which was sent so many times before. */
  reply(request: WireRequest, turn: number, sent: number): ServerReply
}

type Answer = (response: WireResponse, request: WireRequest) => ServerReply

const prompt = 'What is the weather?'
/** Most APIs want a schema of each tool, and Gemini one that has properties. */
const noParameters = { type: 'object', properties: { floor: { type: 'integer' } } }
/** Replies whose calls cannot be executed, each with the rule of what is shown of them. */
const brokenArguments: Readonly<Record<string, RuleName>> = {
  'malformed arguments': 'malformed-arguments',
  'arguments that are not an object': 'malformed-arguments',
  'length inside a call': 'cut-call',
  'empty arguments': 'no-arguments',
}

/** Every case of a wire, in the order of the report. */
export function servedCases(wire: Wire): readonly ServedCase[] {
  return [
    ...scripts.flatMap((script) =>
      [true, false].flatMap((stream) => plainCase(wire, script, stream)),
    ),
    ...splitCases(wire),
    ...disguisedCases(wire),
    ...cutCases(wire),
    ...inBandCases(wire),
    ...statusCases(wire),
    ...oddCases(wire),
  ]
}

const slug = (...words: readonly (number | string)[]): string =>
  words
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')

const kindOf = (stream: boolean): 'stream' | 'whole' => (stream ? 'stream' : 'whole')

interface Plan {
  readonly id: string
  readonly title: string
  readonly rules: readonly RuleName[]
  readonly turns: readonly ScriptTurn[]
  readonly stream: boolean
  readonly expected: Expected
  readonly retries?: number
  /** What the server makes of the reply. Default: it sends it, an event a chunk. */
  readonly answer?: Answer
  readonly reply?: ServedCase['reply']
}

function toCase({ format, model }: Wire, plan: Plan): ServedCase {
  const { turns, stream, answer = (response) => toReply(response), retries = 0 } = plan
  const reply: ServedCase['reply'] = (request, turn) =>
    answer(format.respond(turns[Math.min(turn, turns.length - 1)] as ScriptTurn, request), request)
  const hasCalls = turns.some(({ toolCalls }) => toolCalls)
  return {
    reply,
    ...plan,
    ask: {
      model,
      stream,
      messages: [{ role: 'user', content: prompt }],
      tools: hasCalls ? scriptTools.map((tool) => ({ parameters: noParameters, ...tool })) : [],
      toolResults: turns
        .slice(0, -1)
        .map(({ toolCalls = [] }) =>
          toolCalls.map(({ name }, index) => `result ${index} of ${name}`),
        ),
      maxTokens: 1000,
      retries,
    },
  }
}

function plainCase(wire: Wire, script: Script, stream: boolean): ServedCase[] {
  const broken = brokenArguments[script.name]
  const turns = broken ? script.turns.slice(0, 1) : script.turns
  if (cannotSay(turns, wire.format, kindOf(stream)) !== undefined) return []
  const id = slug(script.name, kindOf(stream))
  const title = `${script.name}, ${stream ? 'streamed' : 'whole'}`
  const calls = turns.flatMap(({ toolCalls = [] }) => toolCalls)
  const isWithoutIds = calls.some((call) => call.id === undefined)
  const isWithIds = hasIds(wire)

  const rules: Partial<Record<RuleName, boolean>> = {
    text: true,
    reasoning: turns.some(({ reasoning }) => reasoning),
    calls: calls.length > 0,
    'call-ids': calls.length > 0 && isWithIds,
    finish: true,
    usage: true,
    results: turns.length > 1,
    accepted: true,
    'documented-fields': true,
  }
  const rulesOf = (): RuleName[] => {
    if (broken) return [broken]
    if (isWithoutIds && isWithIds) return ['missing-ids']
    return (Object.keys(rules) as RuleName[]).filter((name) => rules[name])
  }
  return [toCase(wire, { id, title, rules: rulesOf(), turns, stream, expected: { kind: 'reply' } })]
}

/** The same reply in other bytes or other chunks, compared with the case of the script. */
function sameReply(
  wire: Wire,
  name: string,
  stream: boolean,
  what: string,
  rule: RuleName,
  answer: Answer,
): ServedCase[] {
  const { turns } = scriptNamed(name)
  if (cannotSay(turns, wire.format, kindOf(stream)) !== undefined) return []
  const like = slug(name, kindOf(stream))
  return [
    toCase(wire, {
      id: slug(like, what),
      title: `${name}, ${stream ? 'streamed' : 'whole'}: ${what}`,
      rules: [rule],
      turns,
      stream,
      expected: { kind: 'reply', like },
      answer,
    }),
  ]
}

function splitCases(wire: Wire): ServedCase[] {
  const streams = ['unicode', 'parallel calls', 'usage tail'].flatMap((name) =>
    Object.entries(splits)
      .slice(0, 4)
      .flatMap(([how, split]) =>
        sameReply(wire, name, true, how, 'split', (response) =>
          withBody(response, split(toBytes(response))),
        ),
      ),
  )
  const whole = sameReply(wire, 'unicode', false, 'byte by byte', 'split', (response) =>
    withBody(response, inBytes(toBytes(response))),
  )
  return [...streams, ...whole]
}

/** Ways of writing that the format of the stream itself does not allow. */
const isLenient = ({ framing }: Wire, how: string): boolean =>
  how === 'no line end after the last event' || (framing === 'ndjson' && how !== 'CRLF line ends')

/** Ways of writing that a division of the bytes can take apart. */
const splitDisguises: readonly string[] = ['CRLF line ends', 'CR line ends', 'a byte order mark']

function disguisedCases(wire: Wire): ServedCase[] {
  return Object.entries(disguises).flatMap(([how, disguise]) =>
    disguisedScripts.flatMap((name) => {
      const sample = wire.format.respond(
        scriptNamed(name).turns[0] as ScriptTurn,
        sampleRequest(wire),
      )
      if (disguise(sample).pieces.join('') === sample.pieces.join('')) return []
      const rule = isLenient(wire, how) ? 'lenient-framing' : 'line-ends'
      const inEvents = sameReply(wire, name, true, how, rule, (response) =>
        toReply(disguise(response)),
      )
      if (!splitDisguises.includes(how)) return inEvents
      return [
        ...inEvents,
        ...sameReply(wire, name, true, `${how}, byte by byte`, rule, (response) =>
          withBody(response, inBytes(toBytes(disguise(response)))),
        ),
      ]
    }),
  )
}

const sampleRequest = (wire: Wire): WireRequest => ({
  method: 'POST',
  path: wire.paths.stream,
  headers: { 'content-type': 'application/json' },
  body: wire.sample(prompt, true),
})

const endings: readonly (readonly [how: string, rule: RuleName, tail: readonly ReplyStep[]])[] = [
  ['the connection breaks', 'broken-connection', ['reset']],
  ['the body ends', 'early-end', []],
]

function cutCases(wire: Wire): ServedCase[] {
  const cut = (
    name: string,
    stream: boolean,
    where: string,
    at: (text: WireResponse) => string,
  ): ServedCase[] =>
    endings.flatMap(([how, rule, tail]) => {
      const turns = scriptNamed(name).turns.slice(0, 1)
      if (cannotSay(turns, wire.format) !== undefined) return []
      const rules = rule === 'early-end' ? [rule, 'early-end-is-an-error' as const] : [rule]
      return [
        toCase(wire, {
          id: slug(name, kindOf(stream), how, where),
          title: `${name}, ${stream ? 'streamed' : 'whole'}: ${how} ${where}`,
          rules,
          turns,
          stream,
          expected: { kind: 'cut' },
          answer: (response) =>
            withBody(response, [toBytes({ ...response, pieces: [at(response)] }), ...tail]),
        }),
      ]
    })
  const places: Readonly<Record<string, (pieces: readonly string[], end: number) => string>> = {
    'before the first event': () => '',
    'after the first part': (pieces, end) => pieces.slice(0, Math.ceil(end / 2)).join(''),
    'inside an event': (pieces, end) => {
      const whole = pieces.slice(0, end - 1).join('')
      const next = pieces[end - 1] ?? ''
      return whole + next.slice(0, Math.ceil(next.length / 2))
    },
    'before the finish reason': (pieces, end) => pieces.slice(0, end).join(''),
    'inside the last event': (pieces, end) =>
      pieces.slice(0, end).join('') + (pieces[end] ?? '').slice(0, 20),
  }
  const streams = ['unicode', 'parallel calls'].flatMap((name) =>
    Object.entries(places).flatMap(([where, at]) =>
      cut(name, true, where, ({ pieces }) =>
        at(
          pieces,
          pieces.findIndex((piece) => wire.end.test(piece)),
        ),
      ),
    ),
  )
  return [
    ...streams,
    ...cut('unicode', false, 'in the middle', ({ pieces }) => {
      const text = pieces.join('')
      return text.slice(0, Math.ceil(text.length / 2))
    }),
  ]
}

function inBandCases(wire: Wire): ServedCase[] {
  const positions: Readonly<Record<string, (pieces: readonly string[]) => readonly string[]>> = {
    'in the place of the reply': (pieces) => pieces.slice(-1),
    'in the middle': (pieces) => [
      ...pieces.slice(0, Math.ceil(pieces.length / 2)),
      ...pieces.slice(-1),
    ],
    'at the end': (pieces) => pieces,
  }
  const one = (name: string, stream: boolean, where: string): ServedCase => {
    const turns = scriptNamed(name).turns.slice(0, 1)
    const isDocumented = stream && wire.streamErrorSource !== undefined
    return toCase(wire, {
      id: slug(name, kindOf(stream), 'failure', where),
      title: `${name}, ${stream ? 'streamed' : 'whole'}: a failure with status 200 ${where}`,
      rules: [isDocumented ? 'error-in-stream' : 'error-in-reply', 'error-text'],
      turns,
      stream,
      expected: { kind: 'error', text: inBandErrorText },
      reply: (request) => {
        const response = wire.format.respondThenFail(
          turns[0] as ScriptTurn,
          request,
          inBandErrorText,
        )
        const take = stream ? positions[where] : undefined
        return toReply(take ? { ...response, pieces: take(response.pieces) } : response)
      },
    })
  }
  return [
    ...failingScripts.flatMap((name) =>
      Object.keys(positions).map((where) => one(name, true, where)),
    ),
    one('text', false, 'in the place of the reply'),
  ]
}

function statusCases(wire: Wire): ServedCase[] {
  const { turns } = scriptNamed('text')
  const one = (
    status: number,
    stream: boolean,
    body: string,
    response: WireResponse,
    text?: string,
  ): ServedCase =>
    toCase(wire, {
      id: slug('status', status, body, kindOf(stream)),
      title: `status ${status} with ${body}, ${stream ? 'streamed' : 'whole'}`,
      rules: ['status', ...(text === undefined ? [] : (['error-text'] as const))],
      turns,
      stream,
      expected: { kind: 'error', status, ...(text !== undefined && { text }) },
      reply: () => toReply(response),
    })
  const statuses = [...codesByStatus.keys()].filter(
    (status) => status !== 529 || wire.name === 'messages',
  )
  return [true, false].flatMap((stream) => [
    ...statuses.map((status) =>
      one(status, stream, 'JSON', wire.format.failure(status, errorBodyText), errorBodyText),
    ),
    one(502, stream, 'a web page', htmlFailure(502)),
    one(503, stream, 'no body', { status: 503, headers: {}, pieces: [] }),
  ])
}

/** What no vendor documents, or only one. */
function oddCases(wire: Wire): ServedCase[] {
  const { turns } = scriptNamed('text')
  const strange: readonly ScriptTurn[] = [{ text: ['Hm.'], finish: 'other', usage: {} }]
  const inMiddle = (response: WireResponse, text: string): WireResponse => {
    const middle = Math.ceil(response.pieces.length / 2)
    const pieces = [...response.pieces]
    pieces.splice(middle, 0, brokenPiece(response, text))
    return { ...response, pieces }
  }
  const both = [true, false].flatMap((stream): Plan[] => [
    {
      id: slug('web page', kindOf(stream)),
      title: `a web page in the place of the reply, ${stream ? 'streamed' : 'whole'}`,
      rules: ['web-page'],
      turns,
      stream,
      expected: { kind: 'error' },
      reply: () => toReply(signInPage),
    },
    {
      id: slug('unknown finish', kindOf(stream)),
      title: `a finish reason that does not exist, ${stream ? 'streamed' : 'whole'}`,
      rules: ['unknown-finish'],
      turns: strange,
      stream,
      expected: { kind: 'unknown-finish' },
    },
    ...[429, 503].map(
      (status): Plan => ({
        id: slug('retry', status, kindOf(stream)),
        title: `status ${status}, then the reply, ${stream ? 'streamed' : 'whole'}`,
        rules: ['retry'],
        turns,
        stream,
        retries: 2,
        expected: { kind: 'reply' },
        reply: (request, _, sent) =>
          toReply(
            sent % 2
              ? wire.format.respond(turns[0] as ScriptTurn, request)
              : wire.format.failure(status, 'later', { 'retry-after': '0' }),
          ),
      }),
    ),
  ])
  const streams: readonly Plan[] = [
    ...brokenRecords.map(
      (text): Plan => ({
        id: slug('broken record', brokenRecords.indexOf(text)),
        title: `a record that is not JSON: ${text}`,
        rules: ['broken-record'],
        turns,
        stream: true,
        expected: { kind: 'error' },
        answer: (response) => toReply(inMiddle(response, text)),
      }),
    ),
    {
      id: 'break-after-the-end',
      title: "text, streamed: the connection breaks after the API's last mark",
      rules: ['after-the-end'],
      turns,
      stream: true,
      expected: { kind: 'reply', like: 'text-stream' },
      answer: (response) => toReply(response, 'reset'),
    },
  ]
  return [...both, ...streams].map((plan) => toCase(wire, plan))
}
