const bytes = 'replies are records in this process: there are no bytes to cut or to write otherwise'
const record = 'replies are records in this process: there is no text to parse'
const status = 'there is no server: no status, no headers, no body'
const connection = 'there is no connection that could be reset'
const request = 'there is no request: the stand-in model gets the texts of the conversation only'
const hosts = 'no host is asked'

/**
 * What does not apply to a provider whose replies are made in its own process, each with the
 * reason: for {@link Harness.skip}. The rules that a cut reply is never a clean end (R2) and that
 * the reader leaves nothing behind apply to it like to any other.
 */
export const inProcessSkips: Readonly<Record<string, string>> = {
  S1: bytes,
  S2: connection,
  S3: bytes,
  S8: bytes,
  F1: status,
  F5: status,
  F7: 'the reply begins when it is read: nobody waits for headers',
  "comments and pings keep the bytes' clock, not the reply's": bytes,
  'a record that is not JSON rejects protocol, and is not skipped': record,
  'an event without an end is refused as soon as it is too long': record,
  "of an error's body at most 64 KiB are kept, and the message stays short": status,
  'a stream that a gateway closes with [DONE] after a cut rejects truncated': bytes,
  "the caller's own headers are sent": status,
  "the server's own x-should-retry wins over its status": status,
  'aborted inside a whole reply': bytes,
  "a connection that stays open after the API's last mark is dropped within two seconds":
    connection,
  'a text of JSON with more values than its limit is refused before it is parsed': record,
  'an option changes the request or is refused as unsupported, never dropped': request,
  'a part that is not text is sent or refused as unsupported, never dropped': request,
  'half of a surrogate pair is sent as U+FFFD':
    'a request is a value in this process: nothing is encoded',
  E1: hosts,
  K4: hosts,
}
