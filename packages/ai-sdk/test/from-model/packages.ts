import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { WireFormat } from '@modelport/conformance'
import type { CallOptions } from '@modelport/core'
import type { Fetch } from '@modelport/driver'
import { anthropicMessages, gemini, openaiResponses } from '@modelport/test-formats'

export const apiKey = 'ai-sdk-conformance-0123456789abcdef'

/**
 * A package of the AI SDK, and what the kit does not ask of a provider made of its model: test →
 * reason.
 */
export interface VendorPackage {
  readonly name: string
  readonly model: string
  readonly format: WireFormat
  create(fetch: Fetch): LanguageModelV4
  /** What its calls need to be those of the kit. */
  readonly options?: CallOptions
  readonly skip: Readonly<Record<string, string>>
}

const because = (why: string, ...tests: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(tests.map((title) => [title, why]))

/** What no provider made of a model of the AI SDK can do. */
export const ofSpecification = because(
  'back-pressure: a stream has parts and no bytes, so a silent connection and one that only pings look alike, and both clocks are those of the reply',
  "comments and pings keep the bytes' clock, not the reply's",
)

/** What all three packages do. */
const ofPackages = {
  ...ofSpecification,
  ...because(
    'framing: the package takes no CR alone as the end of a line, and loses an event that no empty line follows',
    'CR line ends change nothing',
    'no line end after the last event change nothing',
  ),
  ...because(
    'truncation: the package reports a body that was cut, or that says a failure, as one that is not valid: `protocol`, or an empty reply',
    'a whole reply cut at every byte',
    'a failure inside a whole reply',
  ),
  ...because(
    'truncation: a web page is a stream without events',
    'a web page instead of a response is not a success',
  ),
  ...because(
    'back-pressure: the package reads to the end of the connection, and reads ahead',
    'a reset after the last byte is a success',
    "an abort rejects parked and later reads with the signal's own reason",
    'nothing is read ahead beyond one chunk',
    'silence after an event runs into the idle limit',
    'a failed response whose body never comes is named by its status',
  ),
  ...because(
    'limits: the package holds an event, a body and the text of an error whole',
    'an event without an end is refused as soon as it is too long',
    "of an error's body at most 64 KiB are kept, and the message stays short",
    'a text of JSON with more values than its limit is refused before it is parsed',
  ),
  ...because(
    'hosts: the package has the connection',
    'a redirect is refused, and nothing is sent to its target',
    'enforceHosts: a host that is not listed is refused before anything is sent',
  ),
  ...because(
    'requests: the package sends ids of other vendors as they are',
    'ids of another vendor fit this API, and calls and results stay together',
  ),
  ...because(
    'requests: the package sends text as it is',
    'half of a surrogate pair is sent as U+FFFD',
  ),
  ...because(
    'requests: the package leaves out what its API lacks, with a warning',
    'an option changes the request or is refused as unsupported, never dropped',
  ),
}
const noIds = because(
  'replies: the package refuses a call without an id',
  'round trip of a stream: calls without ids',
  'round trip of whole replies: calls without ids',
  'byte by byte and in random chunks: calls without ids',
)
const waits = 'back-pressure: the package gives the end of a reply when the connection ends'
const noCounts =
  'replies: the package refuses a reply whose usage has no counts, as that of the test'
const contentKey =
  'requests: the package writes results as `content` of a response, where the kit does not look for their text'

export const packages: readonly VendorPackage[] = [
  {
    name: '@ai-sdk/openai',
    model: 'gpt-4.1',
    format: openaiResponses,
    create: (fetch) => createOpenAI({ apiKey, fetch })('gpt-4.1'),
    // By default the package refers to items that the vendor stores; `store: false` turns this off.
    options: { vendor: { openai: { store: false } } },
    skip: {
      ...ofPackages,
      ...noIds,
      ...because(
        waits,
        'silence after the terminal event takes nothing away',
        "a connection that stays open after the API's last mark is dropped within two seconds",
      ),
    },
  },
  {
    name: '@ai-sdk/anthropic',
    model: 'claude-sonnet-4-5',
    format: anthropicMessages,
    create: (fetch) => createAnthropic({ apiKey, fetch })('claude-sonnet-4-5'),
    skip: {
      ...ofPackages,
      ...noIds,
      ...because(
        'replies: the package writes `{}` for no arguments',
        'round trip of a stream: empty arguments',
      ),
      ...because(
        noCounts,
        'parallel calls come in wire order, every time',
        'a finish reason that is not known is other, never stop',
        'malformed arguments are reported, not repaired or wrapped',
        'more tool calls than the limit are refused',
        'arguments that are too deep or too long are refused',
        'a body beyond its limit rejects limit-exceeded and is not asked for again',
      ),
      ...because(
        'requests: the package lets the vendor refuse a history with calls and no tools, a system message in the middle, and a blank text',
        'setTools reaches the next request',
        'a system message inside the history reaches the wire',
        'every kind of history makes a request that the API accepts',
      ),
    },
  },
  {
    name: '@ai-sdk/google',
    model: 'gemini-3-flash-preview',
    format: gemini,
    create: (fetch) => createGoogle({ apiKey, fetch })('gemini-3-flash-preview'),
    skip: {
      ...ofPackages,
      ...because(
        contentKey,
        ...[
          'one call',
          'parallel calls',
          'text and calls',
          'reasoning and calls',
          'calls without ids',
          'two turns',
          'three turns',
        ].flatMap((script) => [
          `round trip of a stream: ${script}`,
          `round trip of whole replies: ${script}`,
        ]),
        'a turn with some tool results missing rejects until they are sent, then continues',
        'unknown and repeated ids are refused, and nothing of that call is taken',
        ...[
          'in one call',
          'in one call, backwards',
          'one by one',
          'one by one, backwards, without waiting',
        ].map((how) => `results sent ${how} continue the conversation in call order`),
        'parallel calls come in wire order, every time',
        'an error result keeps its mark',
      ),
      ...because(
        'replies: the package makes up ids at random',
        'byte by byte and in random chunks: calls without ids',
      ),
      ...because(waits, 'silence after the terminal event takes nothing away'),
      ...because(
        'replies: the package takes a failure inside a whole reply as an empty reply',
        'the key is in no output: a failure inside the reply that repeats it',
      ),
      ...because(
        'requests: the package refuses a system message in the middle, and sends a turn without parts',
        'a system message inside the history reaches the wire',
        'every kind of history makes a request that the API accepts',
      ),
    },
  },
]
