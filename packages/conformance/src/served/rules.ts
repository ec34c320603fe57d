import type { Wire } from './wires.js'

/**
 * Groups of rules. Those of `ours` are our view of what a good client does, which no vendor
 * documents: they are reported, and do not count.
 */
export type RuleGroup = 'bytes' | 'content' | 'cuts' | 'errors' | 'ours' | 'requests' | 'tools'

/** Names of the rules. */
export type RuleName =
  | 'text'
  | 'reasoning'
  | 'finish'
  | 'usage'
  | 'calls'
  | 'call-ids'
  | 'malformed-arguments'
  | 'results'
  | 'accepted'
  | 'split'
  | 'line-ends'
  | 'broken-connection'
  | 'early-end'
  | 'error-in-stream'
  | 'status'
  | 'early-end-is-an-error'
  | 'error-text'
  | 'error-in-reply'
  | 'web-page'
  | 'broken-record'
  | 'lenient-framing'
  | 'after-the-end'
  | 'missing-ids'
  | 'unknown-finish'
  | 'retry'
  | 'documented-fields'
  | 'cut-call'
  | 'no-arguments'

/** A rule as data. */
export interface ServedRule {
  readonly group: RuleGroup
  /** What a client does. */
  readonly sentence: string
  /** Rules of docs/contract.md that ask the same of a provider of modelport. */
  readonly contract: readonly string[]
  /** The page that says so; none for a rule that is our view. */
  source(wire: Wire): string | undefined
}

// The page that a rule comes from, by its author.
const ofVendor = ({ source }: Wire): string => source
const ofReasoning = ({ reasoningSource, source }: Wire): string => reasoningSource ?? source
const ofErrors = ({ errorSource }: Wire): string => errorSource
const ofStreamErrors = ({ streamErrorSource }: Wire): string | undefined => streamErrorSource
const ofNobody = (): undefined => undefined
const ofChunkedBodies = (): string => 'https://www.rfc-editor.org/rfc/rfc9112#section-7.1'
const ofIncompleteBodies = (): string => 'https://www.rfc-editor.org/rfc/rfc9112#section-8'
const ofLines = ({ framing }: Wire): string =>
  framing === 'sse'
    ? 'https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream'
    : 'https://www.rfc-editor.org/rfc/rfc8259#section-2'

/** The rules of the suite by their names. */
export const servedRules: Readonly<Record<RuleName, ServedRule>> = {
  text: {
    group: 'content',
    sentence: 'The text is what the model wrote, each character once and in order.',
    contract: ['L1', 'L2', 'D5'],
    source: ofVendor,
  },
  reasoning: {
    group: 'content',
    sentence: 'The reasoning that the API shows is shown apart from the text.',
    contract: ['L1', 'L2'],
    source: ofReasoning,
  },
  finish: {
    group: 'content',
    sentence:
      'The reason why the reply ended is the one that the API gave; filtered content may be an error.',
    contract: ['L1', 'D9'],
    source: ofVendor,
  },
  usage: {
    group: 'content',
    sentence: 'The counts of input and output tokens are those of the API, wherever they come.',
    contract: ['L1', 'D3'],
    source: ofVendor,
  },
  calls: {
    group: 'tools',
    sentence: 'Each call has its name and its arguments, in the order of the wire.',
    contract: ['L1', 'D4'],
    source: ofVendor,
  },
  'call-ids': {
    group: 'tools',
    sentence: 'Each call has the id that the API gave it.',
    contract: ['L1'],
    source: ofVendor,
  },
  'malformed-arguments': {
    group: 'ours',
    sentence:
      'Arguments that are not a JSON object are shown as they came or as an error, never as other arguments.',
    contract: ['D11'],
    source: ofNobody,
  },
  results: {
    group: 'tools',
    sentence: 'The next request repeats the calls of the reply, each with its own result.',
    contract: ['L1', 'D1', 'D2', 'D12'],
    source: ofVendor,
  },
  accepted: {
    group: 'requests',
    sentence:
      'Every request is one that the API accepts: the form of its fields, the order of roles, ids, signatures.',
    contract: ['Q1'],
    source: ofVendor,
  },
  split: {
    group: 'bytes',
    sentence: 'The same bytes give the same reply, however the network divides them.',
    contract: ['S3'],
    source: ofChunkedBodies,
  },
  'line-ends': {
    group: 'bytes',
    sentence:
      'What the format of the stream ignores changes nothing: line ends, comments, a byte order mark.',
    contract: ['S8'],
    source: ofLines,
  },
  'broken-connection': {
    group: 'cuts',
    sentence:
      'A reply whose connection broke before its end is an error, or at least has no reason why it ended.',
    contract: ['S2', 'R2'],
    source: ofIncompleteBodies,
  },
  'early-end': {
    group: 'cuts',
    sentence:
      'A reply that ends before its finish reason is an error, or at least has no reason why it ended.',
    contract: ['S1', 'R2', 'D9'],
    source: ofVendor,
  },
  'error-in-stream': {
    group: 'errors',
    sentence:
      'A stream in which the API reports a failure leaves the caller an error, whatever its text, and no end.',
    contract: ['S6'],
    source: ofStreamErrors,
  },
  status: {
    group: 'errors',
    sentence: 'A failed response is an error from which the caller knows the status or its kind.',
    contract: ['F1'],
    source: ofErrors,
  },
  'early-end-is-an-error': {
    group: 'ours',
    sentence: 'A reply that stopped early is an error of its own, with what was said so far.',
    contract: ['S1', 'R2'],
    source: ofNobody,
  },
  'error-text': {
    group: 'ours',
    sentence: "The error has the server's own text.",
    contract: ['F1', 'S6'],
    source: ofNobody,
  },
  'error-in-reply': {
    group: 'ours',
    sentence:
      'A failure in the body of a response with status 200 is an error, also where nobody documents it.',
    contract: ['S6'],
    source: ofNobody,
  },
  'web-page': {
    group: 'ours',
    sentence: 'A web page in the place of a reply is an error, not an empty reply.',
    contract: ['F1'],
    source: ofNobody,
  },
  'broken-record': {
    group: 'ours',
    sentence: 'A record of a stream that is not JSON is an error, and is not skipped.',
    contract: ['D11'],
    source: ofNobody,
  },
  'lenient-framing': {
    group: 'ours',
    sentence:
      'Small deviations of servers and proxies from the format of the stream change nothing.',
    contract: ['S8'],
    source: ofNobody,
  },
  'after-the-end': {
    group: 'ours',
    sentence: "A connection that breaks after the API's last mark takes nothing away.",
    contract: ['S2'],
    source: ofNobody,
  },
  'missing-ids': {
    group: 'ours',
    sentence: 'A call without an id gets one, which is its own in the conversation.',
    contract: ['L1'],
    source: ofNobody,
  },
  'unknown-finish': {
    group: 'ours',
    sentence: 'A reason that the client does not know is not shown as a good end.',
    contract: ['D9'],
    source: ofNobody,
  },
  retry: {
    group: 'ours',
    sentence: 'A request that failed for a moment is tried again, and its reply is whole.',
    contract: ['F3'],
    source: ofNobody,
  },
  'documented-fields': {
    group: 'ours',
    sentence: 'A request has only fields that the API documents, and no list that is empty.',
    contract: ['Q1'],
    source: ofNobody,
  },
  'cut-call': {
    group: 'ours',
    sentence: 'A call that the limit of tokens cut is never shown with arguments that look whole.',
    contract: ['D11'],
    source: ofNobody,
  },
  'no-arguments': {
    group: 'ours',
    sentence: 'No text in the place of arguments is a call without arguments, not a broken one.',
    contract: ['D11'],
    source: ofNobody,
  },
}
