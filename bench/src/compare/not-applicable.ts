const reader = 'the reader around the library is ours'
const attempts = 'attempts and their waits around the library are ours'
const clock = 'time is virtual in the kit, and the clocks around the library are ours'
const limit = 'a limit that modelport names; the libraries name none'
const option = 'the adapter decides it'
const field = 'a field of gateways that the API of OpenAI does not have'
const text = 'the libraries hand out parsed arguments; their exact text is not promised'

/**
 * Tests that say nothing of another library: they hold the reader, the attempts, the clocks, the
 * limits and the options of modelport to the contract. By the start of their title, without the
 * rules.
 */
export const notApplicable: Readonly<Record<string, string>> = {
  'a provider is what isProvider says': reader,
  'the clean end is done': reader,
  'after a failure every read rejects': reader,
  'close() is idempotent': reader,
  'close() drops what was received': reader,
  'an abort rejects parked and later reads': reader,
  'overlapping reads': reader,
  'fullText() and usage() are valid': reader,
  'messages() is the conversation': reader,
  'without a tool result the stream ends': reader,
  'without a response the stream ends': reader,
  'a turn with some tool results missing': reader,
  'unknown and repeated ids are refused': reader,
  'sendToolResults without': reader,
  'the next request waits for the next read': reader,
  'results sent': reader,
  'setTools reaches': reader,
  'every method makes its request': reader,
  'the end is signalled once': reader,
  'one call is one request': attempts,
  "the server's own x-should-retry": attempts,
  'onRetry hears': attempts,
  'a passing failure is tried again': attempts,
  'the reply after a retry': attempts,
  'a stream is tried again': attempts,
  'a turn of its own has attempts': attempts,
  'a failure before the first piece is tried again': attempts,
  'the wait that the server asks for': attempts,
  'a wait may be an HTTP date': attempts,
  'a wait beyond 60 s': attempts,
  'a retry-after that is not a time': attempts,
  'aborted while waiting to try again': attempts,
  'a deadline spans': clock,
  'a server that sends no headers': clock,
  'a failed response whose body never comes': clock,
  'silence after': clock,
  'comments and pings keep': clock,
  'a slow consumer': clock,
  'a connection that stays open': clock,
  'a body beyond its limit': limit,
  'an event without an end is refused': limit,
  'a text of JSON with more values': limit,
  'more tool calls than the limit': limit,
  "of an error's body": limit,
  'arguments that are too deep': limit,
  'a redirect is refused': limit,
  enforceHosts: limit,
  'the key is on no object': limit,
  'a shorter start of the key': limit,
  'what is not set is not on the wire': option,
  'an option changes the request': option,
  'a part that is not text': option,
  "the caller's own headers": option,
  'bad input is refused': option,
  'round trip of a stream: cache writes': field,
  'round trip of whole replies: cache writes': field,
  'the text alone: cache writes': field,
  'byte by byte and in random chunks: cache writes': field,
  'byte by byte and in random chunks: calls without ids': 'ids that a library makes up are random',
  'round trip of a stream: empty arguments': text,
  'round trip of whole replies: empty arguments': text,
}
