import {
  driver,
  type FaultRow,
  factory,
  here,
  inFile,
  kit,
  openssl,
  withData,
} from './fault-row.ts'

/** Faults of the network and of what lies around it. */
export const connections: readonly FaultRow[] = [
  {
    id: 'testConnection',
    fault: 'a connection that does not work, in 32 ways',
    required: 'one request, 15 s at most, the problem told apart, nothing left open, no key shown',
    tests: factory(
      'connection',
      'testConnection with %s',
      'testConnection gives up after 15 s, even if nothing honours the signal',
      'testConnection gives up on a provider that ignores its options',
    ),
  },
  {
    id: 'retry',
    fault: 'passing failures, and hints of every kind how long to wait',
    required:
      'one loop; a wait of up to 60 s is kept, a longer one fails at once, nonsense is ignored',
    tests: [
      ...kit('F2', 'F3', 'F4', 'F5'),
      ...driver(
        'retry',
        'which failures are tried again',
        'Retry-After',
        'the wait before a retry is at least what the server asks for, up to 60 s',
      ),
    ],
  },
  {
    id: 'deadline',
    fault: 'a deadline passes in any phase',
    required: '`timeout` at that instant; no wait passes it',
    tests: [
      ...kit('F6'),
      ...driver('scope', 'abort, deadline and end each end a call once; the first reason stays'),
      ...driver('retry', 'the wait before a retry never passes the deadline'),
    ],
  },
  {
    id: 'UTF-8',
    fault: 'bytes that are not UTF-8, characters cut in two',
    required: '`protocol`, or the character whole; never a replaced one',
    tests: driver(
      'framing',
      'invalid UTF-8 %j is refused',
      'a body that stops inside a character is cut, a wrong byte is not',
    ),
  },
  {
    id: 'DNS',
    fault: 'a name that does not resolve, or not in time',
    required:
      '`network` (dns), not tried again; a resolver that fails for now is; one that never answers is a `timeout` (connect)',
    tests: [
      ...here(
        'connect',
        'a name server that never answers is a time-out of the connection, and an abort does not wait for it',
        'a name server that is slow',
      ),
      ...driver('undici-transport', 'failures name a host that does not resolve'),
      ...driver('network-error', '%s is %s (%s), tried again: %s'),
    ],
  },
  {
    id: 'TLS',
    fault: 'a certificate that is refused, TLS to a plain port',
    required: '`network` (tls), not tried again, nothing sent',
    tests: [
      ...withData(here('tls', 'a certificate that is expired, of another host'), openssl),
      ...factory('connection', 'testConnection with %s'),
      ...driver('network-error', '%s is %s (%s), tried again: %s'),
    ],
  },
  {
    id: 'proxy',
    fault: 'a proxy in between that leads on, refuses, or fails',
    required:
      'the conversation goes through it; a refusal is `network` or, of a password, `auth`, (proxy), not tried again',
    tests: [
      ...factory('egress', 'behind a proxy that records the requested hosts'),
      ...driver('network-error', 'a proxy that answers CONNECT with %i is named'),
      ...driver(
        'proxy',
        'a proxy that asks for a password gets it, and the server behind it does not',
        'without the password of a proxy, or with a wrong one, the call fails once like one with a refused key, and names the proxy',
        'a proxy that asks for a password is asked once if it refuses the host',
        'the password of a proxy is in nothing that a failure shows',
      ),
    ],
  },
  {
    id: 'no HTTP',
    fault: 'what answers speaks another protocol',
    required: '`protocol`, not tried again',
    tests: [
      ...driver('undici-transport', 'failures include a server whose response is not HTTP'),
      ...driver('network-error', 'a response that is not HTTP is a protocol error'),
      ...kit('F1 a web page instead of a response'),
    ],
  },
  {
    id: 'advisories',
    fault: 'what other software of this kind was found to do',
    required: 'none of it, one test for each class',
    tests: [
      ...here(
        'advisories',
        'CVE-2024-6587',
        'an address has no key that could be shown with it',
        'CVE-2025-68664',
        'CVE-2026-34070',
        'CVE-2025-64439',
        'CVE-2026-8768',
        'AI SDK 5.0.198',
        'CVE-2026-22036',
        'CVE-2025-66414',
        'CVE-2026-21852',
        'a NUL in a host',
      ),
      // CVE-2022-0235, #15980, #18072: what a redirect would carry elsewhere, and what is asked for
      // before it is checked.
      ...here('redirects', '$name follows no redirect'),
      ...here('media', '$name: the address of an image is handed on or refused'),
    ],
  },
  {
    id: 'restart',
    fault: 'the server restarts in mid-stream and between calls',
    required: '`truncated` with what came; the next call works at once',
    tests: here(
      'sockets',
      'a server may restart in mid-stream, and between calls on kept connections',
    ),
  },
  {
    id: 'connecting',
    fault: 'a proxy or server that never completes a connection',
    required: 'ends at `connectMs`; an abort closes the socket at once',
    tests: driver(
      'connecting',
      'a connection to a proxy that never confirms a tunnel ends at connectMs, and closes',
      '%s is dropped once the last request for it is aborted',
    ),
  },
  {
    id: 'stale',
    fault: 'a connection that the server closed while it was idle',
    required: 'one failed attempt: `onRetry`, and no other attempt with `attempts: 1`',
    tests: driver(
      'connecting',
      'a connection that ends while it is idle costs an attempt, and is tried again only if there is another one',
    ),
  },
  {
    id: 'gzip end',
    fault: 'a reset right after a compressed stream',
    required: 'nothing that was complete is lost',
    tests: driver(
      'connecting',
      'a connection that ends right after a compressed stream takes nothing of it away',
    ),
  },
  {
    id: 'error body',
    fault: 'a failed response whose body stalls, or has any shape',
    required: 'the status decides, after 5 s at most; a reply keeps 64 KiB of an error',
    tests: [
      ...kit('F1 a failed response whose body never comes'),
      ...driver(
        'hardening',
        'a status is kept although its body never comes',
        '64 KiB of an error inside a reply are kept, however it is nested',
        'a driver that trips over the shape of an error',
      ),
    ],
  },
  {
    id: 'growth',
    fault: 'thousands of tool calls in one reply',
    required: 'time grows as their number does; more than 1,024 are refused',
    tests: here(
      'growth',
      '$name: twice the tool calls take about twice the time',
      '$name: more calls than the limit',
    ),
  },
  {
    id: 'crowd',
    fault: '1,000 streams at once',
    required: 'each has its own reply',
    tests: here('sockets', '1,000 streams at once each have their own reply'),
  },
  {
    id: 'properties',
    fault: 'anything: splits, sums, merges, histories, addresses',
    required: 'what must always hold does, for generated cases',
    tests: here(
      'properties',
      'adding is associative',
      'generations merge into all their texts',
      'options: the last defined value wins',
      'a valid history keeps every message, results right behind their calls and in their order, and normal stays normal',
      'any order of any messages',
      'base URLs: any text',
    ),
  },
  {
    id: 'pages',
    fault: 'a list of files whose pages have no end',
    required: 'an error after the page that names the one before it, or after 20 empty ones',
    tests: inFile('test/files.test.ts', 'a list that names %s ends with an error'),
  },
  {
    id: 'odd state',
    fault: 'a row of a store in a state that nobody knows',
    required: 'an error for whoever asks for it, and no wait',
    tests: inFile(
      'packages/durable/test/poison.test.ts',
      'a run in an unknown state is an error for whoever asks for it, and no wait',
    ),
  },
]
