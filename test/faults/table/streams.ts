import {
  driver,
  type FaultRow,
  here,
  inFile,
  kit,
  openssl,
  runtime,
  withData,
} from './fault-row.ts'

/** Faults of a stream: S. */
export const streams: readonly FaultRow[] = [
  {
    id: 'S1',
    fault: 'the connection ends cleanly at any byte',
    required:
      'the whole result, or `truncated` with a partial reply that is a start of the truth; never a silent end, never a hang',
    tests: kit(
      'S1 the connection ends at every byte',
      'S1 a whole reply cut at every byte',
      'R2, D9 a stream without its terminal event',
    ),
  },
  {
    id: 'S13',
    fault: 'a gateway writes `[DONE]` after a stream that was cut',
    required:
      'without a last finish reason nothing succeeds: `truncated`, or `protocol` where lines are JSON',
    tests: [
      ...kit('R2, D9 a stream that a gateway closes with [DONE] after a cut'),
      ...inFile(
        'packages/provider-anthropic/test/decoder.test.ts',
        'a stream without a stop reason is truncated, also with message_stop',
      ),
      ...inFile(
        'packages/provider-google/test/decoder.test.ts',
        'a cut between the two finish reasons of code execution is truncated',
      ),
    ],
  },
  {
    id: 'S2',
    fault: 'reset, FIN, wrong content-length at any byte',
    required: 'as S1; after the terminal event a success',
    tests: [
      ...kit(
        'S2 the connection is reset at every byte',
        'S2 a whole reply reset at every byte',
        'S2 a reset after the last byte is a success',
      ),
      ...here(
        'sockets',
        'a reply that is cut by %s is a typed error, and a success behind the terminal event',
      ),
      ...driver(
        'undici-transport',
        'a body that is cut at any byte over real sockets is the right text, or truncated',
        'a compressed stream cut short is truncated',
      ),
      ...withData(
        here('tls', 'a connection that is cut in mid-stream, with or without a word, is truncated'),
        openssl,
      ),
    ],
  },
  {
    id: 'S3',
    fault: 'the same bytes in other chunks',
    required: 'the same events',
    tests: [
      ...kit(
        'S3 byte by byte and in random chunks',
        'S3 split in two at every byte',
        'S3 a whole reply split at every byte',
      ),
      ...here('properties', '$name: the same bytes in any chunks give the same events'),
    ],
  },
  {
    id: 'S4',
    fault: 'silence, pings only, a drip, a peer that is gone',
    required:
      '`timeout` at the limit, 250 ms late at most, on two clocks: bytes, and pieces of the reply',
    tests: [
      ...kit(
        'S4 silence after an event',
        'S4 silence after the terminal event',
        'S4 comments and pings',
        'S4 a slow consumer',
        'F7 a server that sends no headers',
      ),
      ...driver(
        'scope',
        'a read without a byte ends at the limit, to the millisecond',
        'pings keep the first clock only',
        'time between reads does not count',
      ),
      ...kit("S4, R10 a connection that stays open after the API's last mark"),
      ...driver(
        'hardening',
        'a connection that stays open after the last mark',
        'after a mere finish reason',
      ),
      ...driver(
        'undici-transport',
        'failures include a server that falls silent',
        'failures include a server that sends no headers, or half of them',
      ),
      ...here('sockets', 'a peer that is gone without a word'),
      ...withData(
        here('connect', 'a host that answers no SYN is a time-out of the connection'),
        'a kernel that fills a queue of connections',
      ),
    ],
  },
  {
    id: 'S5',
    fault: 'abort at any point',
    required:
      "rejects with the signal's own reason within 50 ms; sockets and timers gone within 100 ms",
    tests: [
      ...kit(
        'S5 aborted before the call',
        'S5 aborted while waiting for the headers',
        'S5 aborted in the second turn',
        'S5 aborted while waiting to try again',
        'S5 aborted between reads',
        'S5 aborted after every wire event',
        'S5 an abort after the end',
      ),
      ...here(
        'sockets',
        "an abort at any turn of the event loop rejects at once with the signal's reason, and no socket stays",
        'an abort ends a connection to a peer that accepts and never shakes hands',
      ),
      ...driver('undici-transport', 'abort closes the socket, at each point'),
      ...runtime('abort', 'aborted at every await, the conversation continues with nothing lost'),
    ],
    pending: 'a connection that is still being made stays up to connectMs after the abort',
  },
  {
    id: 'S6',
    fault: 'the server reports a failure inside a 200 answer',
    required: "the server's own code, what was said is kept, at every position",
    tests: kit(
      'S6 a failure after every wire event',
      'S6 a failure before the first piece',
      'S6 a failure inside a whole reply',
    ),
  },
  {
    id: 'S7',
    fault: 'a consumer that breaks, throws, or never reads',
    required: 'the socket closes within 100 ms; at most 2 MB are read ahead of 1 GB',
    tests: [
      ...kit('R5 break', 'R7, S7 nothing is read ahead'),
      ...here('limits', 'a consumer that pauses: at most 2 MB are read ahead of 1 GB'),
      ...driver(
        'undici-transport',
        'close and break close the socket',
        'a paused consumer stops the network',
      ),
    ],
  },
  {
    id: 'S8',
    fault: 'event streams in every form the standard allows',
    required: 'the events of the standard; one documented deviation',
    tests: [
      ...kit(
        'S8 CRLF',
        'S8 CR line ends',
        'S8 a byte order mark',
        'S8 comments and pings',
        'S8 empty lines',
        'S8 no space',
      ),
      ...driver(
        'framing',
        'server-sent events',
        'a last event without its blank line is emitted, marked as unterminated, which is the one deviation',
      ),
      ...here('arguments', 'JSONTestSuite: malformed arguments are never executed'),
    ],
  },
  {
    id: 'S9',
    fault: 'a wire that is broken in any way',
    required:
      'typed errors and whole events; no untyped throw, no hang, no call with unparsable arguments',
    tests: [
      ...here('mutations', 'a broken wire gives typed errors and whole events, and nothing else'),
      ...kit('D11 malformed arguments', 'D11 a record that is'),
    ],
  },
  {
    id: 'S10',
    fault: 'lines, bodies, errors, gzip without an end',
    required:
      '`limit-exceeded` before it is held; an error keeps 64 KiB; a line of 16 MB takes 200 ms at most',
    tests: [
      ...kit('R9, S10', 'S10'),
      ...here(
        'limits',
        'a line of 16 MB in chunks of 16 KiB',
        'a line beyond 16 MiB is refused',
        'ten thousand content encodings',
        'a bomb of gzip, a thousand times its size',
        'a line in chunks of one byte, and lines without a value, take at most four times their limit',
      ),
      ...here('growth', '$name: more calls than the limit reject limit-exceeded'),
      ...driver(
        'hardening',
        'values of JSON are counted outside of strings',
        'a record with too many values',
      ),
      ...driver(
        'undici-transport',
        'a gzip bomb is refused in a reply and in an error',
        'an unknown or stacked encoding is refused',
      ),
    ],
  },
  {
    id: 'S11',
    fault: 'the event loop stands still',
    required:
      'at most 50 ms, 20 ms in 99 of 100 turns, with 100 streams at once; time grows as the bytes do',
    tests: here(
      'limits',
      '100 streams at once, each of a quarter of a megabyte a second',
      'a line of 16 MB in chunks of 16 KiB',
    ),
    pending:
      '100 streams that all come at the speed of this machine stall Node itself for half a second, with and without us',
  },
  {
    id: 'S12',
    fault: 'many streams on one signal',
    required: 'no listener, no heap beyond 5 MB, no socket is left',
    tests: [
      ...here('limits', 'many short streams on one signal'),
      ...kit('S12'),
      ...driver('scope', 'ten thousand calls leave nothing on their signal'),
    ],
  },
]
