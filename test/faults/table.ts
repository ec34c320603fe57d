/** A test that proves a row: one of the conformance kit by the start of its title, run for every API, or one by file and title. */
export type FaultTest =
  | { readonly kit: string }
  | {
      readonly file: string
      /** As the source has it, up to what the runner fills in. */
      readonly title: string
      /** What the test needs and another machine may lack: it may be skipped then. */
      readonly needs?: string
    }

/** One fault, what must come of it, and what proves that it does. */
export interface FaultRow {
  readonly id: string
  readonly fault: string
  readonly required: string
  readonly tests?: readonly FaultTest[]
  /** What is not proved yet and why; a row without tests must say it. */
  readonly pending?: string
}

/** Where the conformance kit runs. */
export const kitFiles: readonly string[] = [
  ...['anthropic', 'google', 'ollama', 'openai', 'openai-compatible'].map((name) => `packages/provider-${name}/test/conformance.test.ts`),
  'packages/conformance/test/reference.test.ts',
]

const kit = (...titles: readonly string[]): FaultTest[] => titles.map((title) => ({ kit: title }))
const inFile = (file: string, ...titles: readonly string[]): FaultTest[] => titles.map((title) => ({ file, title }))
const driver = (name: string, ...titles: readonly string[]): FaultTest[] => inFile(`packages/driver/test/${name}.test.ts`, ...titles)
const factory = (name: string, ...titles: readonly string[]): FaultTest[] => inFile(`packages/factory/test/${name}.test.ts`, ...titles)
const here = (name: string, ...titles: readonly string[]): FaultTest[] => inFile(`test/faults/${name}.test.ts`, ...titles)
const openssl = 'openssl'
const corpora = 'the test data in ../shared'
const withData = (tests: readonly FaultTest[], needs = corpora): FaultTest[] => tests.map((test) => ('kit' in test ? test : { ...test, needs }))
const runtime = (name: string, ...titles: readonly string[]): FaultTest[] => inFile(`packages/runtime/test/${name}.test.ts`, ...titles)
const egress = (...titles: readonly string[]): FaultTest[] => inFile('test/egress.test.ts', ...titles)

/** The faults and threats modelport is held to, in the order of their ids. */
export const rows: readonly FaultRow[] = [
  {
    id: 'S1', fault: 'the connection ends cleanly at any byte',
    required: 'the whole result, or `truncated` with a partial answer that is a start of the truth; never a silent end, never a hang',
    tests: kit('S1 the connection ends at every byte', 'S1 a whole answer cut at every byte', 'R2, D9 a stream without its terminal event'),
  },
  {
    id: 'S2', fault: 'reset, FIN, wrong content-length at any byte',
    required: 'as S1; after the terminal event a success',
    tests: [
      ...kit('S2 the connection is reset at every byte', 'S2 a whole answer reset at every byte', 'S2 a reset after the last byte is a success'),
      ...here('sockets', 'cut by %s: typed, and a success behind the terminal event'),
      ...driver('undici-transport', 'cut at every byte over real sockets', 'a compressed stream cut short is truncated'),
      ...withData(here('tls', 'a connection that is cut in mid-stream'), openssl),
    ],
  },
  {
    id: 'S3', fault: 'the same bytes in other chunks',
    required: 'the same events',
    tests: [
      ...kit('S3 byte by byte and in random chunks', 'S3 split in two at every byte', 'S3 a whole answer split at every byte'),
      ...here('properties', '$name: the same bytes in any chunks give the same events'),
    ],
  },
  {
    id: 'S4', fault: 'silence, pings only, a drip, a peer that is gone',
    required: '`timeout` at the limit, 250 ms late at most, on two clocks: bytes, and pieces of the answer',
    tests: [
      ...kit('S4 silence after an event', 'S4 silence after the terminal event', 'S4 comments and pings', 'S4 a slow consumer', 'F7 a server that sends no headers'),
      ...driver('scope', 'a read without a byte ends at the limit, to the millisecond', 'pings keep the first clock only', 'time between reads does not count'),
      ...driver('undici-transport', 'a server that falls silent', 'a server that sends no headers, or half of them'),
      ...here('sockets', 'a peer that is gone without a word'),
      ...withData(here('connect', 'a host that answers no SYN'), 'a kernel that fills a queue of connections'),
    ],
  },
  {
    id: 'S5', fault: 'abort at any point',
    required: 'rejects with the signal\'s own reason within 50 ms; sockets and timers gone within 100 ms',
    tests: [
      ...kit('S5 aborted before the call', 'S5 aborted while waiting for the headers', 'S5 aborted in the second round', 'S5 aborted while waiting to try again', 'S5 aborted between reads', 'S5 aborted after every wire event', 'S5 an abort after the end'),
      ...here('sockets', 'aborted at every turn of the event loop', 'aborted while the connection is made'),
      ...driver('undici-transport', 'abort closes the socket, at each point'),
      ...runtime('abort', 'aborted at every await, the conversation goes on with nothing lost'),
    ],
    pending: 'a connection that is still being made stays up to connectMs after the abort',
  },
  {
    id: 'S6', fault: 'the server reports a failure inside a 200 answer',
    required: 'the server\'s own code, what was said is kept, at every position',
    tests: kit('S6 a failure after every wire event', 'S6 a failure before the first piece', 'S6 a failure inside a whole answer'),
  },
  {
    id: 'S7', fault: 'a consumer that breaks, throws, or never reads',
    required: 'the socket closes within 100 ms; at most 2 MB are read ahead of 1 GB',
    tests: [
      ...kit('R5 break', 'R7, S7 nothing is read ahead'),
      ...here('limits', 'a consumer that pauses: at most 2 MB are read ahead of 1 GB'),
      ...driver('undici-transport', 'close and break close the socket', 'a paused consumer stops the network'),
    ],
  },
  {
    id: 'S8', fault: 'event streams in every form the standard allows',
    required: 'the events of the standard; one documented deviation',
    tests: [
      ...kit('S8 CRLF', 'S8 CR line ends', 'S8 a byte order mark', 'S8 comments and pings', 'S8 empty lines', 'S8 no space'),
      ...driver('framing', 'server-sent events', 'the one deviation'),
      ...withData(here('arguments', 'JSONTestSuite: malformed arguments are never executed')),
    ],
  },
  {
    id: 'S9', fault: 'a wire that is broken in any way',
    required: 'typed errors and whole events; no untyped throw, no hang, no call with unparsable arguments',
    tests: [...here('mutations', 'a broken wire gives typed errors and whole events, and nothing else'), ...kit('D11 malformed arguments', 'D11 a record that is no JSON')],
  },
  {
    id: 'S10', fault: 'lines, bodies, errors, gzip without an end',
    required: '`limit-exceeded` before it is held; an error keeps 64 KiB; a line of 16 MB takes 200 ms at most',
    tests: [
      ...kit('R9, S10', 'S10'),
      ...here('limits', 'a line of 16 MB in chunks of 16 KiB', 'a line beyond 16 MiB is refused', 'ten thousand content encodings', 'a bomb of gzip, a thousand times its size'),
      ...driver('undici-transport', 'a gzip bomb is refused where it is', 'an unknown or stacked encoding is refused'),
    ],
  },
  {
    id: 'S11', fault: 'the event loop stands still',
    required: 'at most 50 ms, 20 ms in 99 of 100 turns, with 100 streams at once; time grows as the bytes do',
    tests: here('limits', '100 streams at once, each of a quarter of a megabyte a second', 'a line of 16 MB in chunks of 16 KiB'),
    pending: '100 streams that all come at the speed of this machine stall Node itself for half a second, with and without us',
  },
  {
    id: 'S12', fault: 'many streams on one signal',
    required: 'no listener, no heap beyond 5 MB, no socket is left',
    tests: [...here('limits', 'many short streams on one signal'), ...kit('S12'), ...driver('scope', 'ten thousand calls leave nothing on their signal')],
  },
  {
    id: 'K1', fault: 'a server, a network or an SDK repeats the key',
    required: 'the key is in no message, body, cause, stack, JSON or inspection, in no form',
    tests: [
      ...here('secrets', 'no failure shows the key, in any form, through any sink'),
      ...here('processes', 'the report of a crash, and what it prints, have no key'),
      ...kit('K1'),
      ...driver('redact', 'is found as it is, encoded, escaped', 'an error as the caller sees it'),
      ...driver('failures', 'the headers of one call are secrets of that call', 'what is told of a new attempt'),
      ...inFile('packages/provider-mock/test/cassette.test.ts', 'a key in a header of any name is taken out'),
      ...inFile('packages/cli/test/chat.test.ts', 'each line is a message; the conversation goes on'),
    ],
    pending: 'a report of a crash lists the variables of the environment: start Node with --report-exclude-env where a key is in one',
  },
  {
    id: 'K2', fault: 'the key on an object',
    required: 'no inspection, JSON, clone or key of a provider or reader has it',
    tests: [...here('secrets', 'a provider and its readers hold no key in sight'), ...kit('K2')],
  },
  {
    id: 'K3', fault: 'characters in a key that no key has',
    required: 'refused before anything is sent; the error names the position, never the value',
    tests: [...driver('api-key', 'every UTF-16 code unit at the start, in the middle and at the end', 'a key is trimmed'), ...here('secrets', 'a key with a character that no key has')],
  },
  {
    id: 'K4', fault: 'redirects to another port, host, scheme, or to itself',
    required: '`redirect-refused`, not one byte to a second origin',
    tests: [...here('redirects', '$name follows no redirect'), ...kit('K4'), ...driver('undici-transport', 'a redirect with status %i is refused')],
  },
  {
    id: 'K5', fault: 'a variable of the environment moves the host',
    required: 'only where the configuration says so; the host said is the host contacted',
    tests: [
      ...factory('hosts', 'the environment moves a host only where the configuration asks for it'),
      ...inFile('packages/provider-anthropic/test/env.test.ts', 'the environment'),
      ...inFile('packages/provider-google/test/env.test.ts', 'the environment changes nothing'),
      ...inFile('packages/provider-openai/test/env.test.ts', 'no variable of the environment changes what is sent, nor where'),
    ],
  },
  {
    id: 'E1', fault: 'the host that is said is not the one that is contacted',
    required: 'equal, or `invalid-base-url`; nothing untyped',
    tests: [
      ...factory('hosts', 'for 300 generated configurations'),
      ...factory('egress', 'what the connector is asked to open'),
      ...withData([...inFile('packages/core/test/base-url.test.ts', 'every URL of the web platform tests'), ...factory('hosts', 'every absolute http(s) URL of the web platform tests')]),
      ...here('properties', 'base URLs: any text is a host of the one form'),
      ...kit('E1'),
    ],
  },
  {
    id: 'E2', fault: 'addresses made to confuse',
    required: 'one form of host and port, read back as itself, or refused without being repeated',
    tests: [...inFile('packages/core/test/base-url.test.ts', '%j'), ...factory('hosts', 'apiHost, case by case')],
  },
  {
    id: 'E3', fault: 'any other connection',
    required: 'none: behind a proxy, under Deno, by the system\'s own calls, with no network at all',
    tests: [
      ...egress('each vendor\'s conversation with a tool asks for the declared hosts', 'the proxy sees who asks for another host'),
      ...withData(egress('under Deno, which allows what the exporter says'), 'Deno'),
      ...withData(egress('by the system\'s own calls'), 'strace'),
      ...withData(egress('with no network at all'), 'unshare'),
    ],
  },
  {
    id: 'E4', fault: 'proxy variables are set',
    required: 'ignored unless a proxy is configured; then it is named as the host',
    tests: factory('hosts', '%s alone changes nothing', 'a proxy is dialled instead', 'the password of a proxy is for the proxy alone'),
  },
  {
    id: 'E5', fault: 'importing a package does something',
    required: 'no socket, no variable, no file beyond its modules; core has no dependency',
    tests: [
      ...inFile('test/workspace.test.ts', 'core has no dependencies', 'has the scripts that the checks call, and none that runs at install'),
      ...withData(egress('importing @modelport/%s needs no permission at all'), 'Deno'),
      ...withData(egress('importing @modelport/%s opens no socket and reads no variable'), 'strace'),
    ],
  },
  {
    id: 'E6', fault: 'an image whose address is inside the network',
    required: 'never asked from here: the vendor\'s server asks, or it is refused',
    tests: here('media', '$name: the address of an image is handed on or refused'),
  },
  {
    id: 'T1', fault: 'arguments that pollute a prototype',
    required: 'an error, spelled plainly or escaped; nothing inherited, nothing changed',
    tests: [
      ...here('arguments', 'keys that would pollute a prototype are an error'),
      ...here('processes', 'a conversation with a tool where __proto__ throws'),
      ...here('mutations', 'a broken wire gives typed errors and whole events, and nothing else'),
      ...driver('tool-arguments', '%j would pollute a prototype and is an error'),
      ...runtime('hostile-arguments', 'arguments that reach the executor all the same'),
    ],
  },
  {
    id: 'T2', fault: 'broken or partial arguments',
    required: 'told to the model, never repaired, never executed',
    tests: [
      ...here('arguments', 'every start of a call is refused until it is whole'),
      ...withData(here('arguments', 'JSONTestSuite: malformed arguments are never executed')),
      ...driver('tool-arguments', '%j is an error, and nothing is made of it', 'every start of a call is an error until it is whole'),
      ...runtime('hostile-arguments', 'a text cut at any place is never executed'),
    ],
  },
  {
    id: 'T3', fault: 'arguments too deep, too many, too long',
    required: '`limit-exceeded`: depth 128, 1 MiB a call; 50 ms to find out',
    tests: [...here('arguments', 'too deep, too many, too long'), ...driver('tool-arguments', 'nesting beyond 128, however long the text'), ...runtime('hostile-arguments', 'a text larger than 1 MiB, whatever was made of it')],
    pending: 'where arguments travel as an object, JSON.parse of their event, of up to 16 MiB, comes before any limit',
  },
  {
    id: 'T4', fault: 'texts that make a regular expression slow',
    required: '50 ms at most for 100,000 characters, every expression of every package',
    tests: here('regexes', 'no regular expression takes time by the square of its text'),
  },
  {
    id: 'T5', fault: 'escapes that a terminal acts on',
    required: 'none reaches it; pipes unchanged',
    tests: inFile('packages/cli/test/terminal-text.test.ts', 'holds nothing a terminal acts on, however it is cut', 'in JSON it is escaped, and the value stays the same'),
  },
  {
    id: 'T6', fault: 'compaction of any history',
    required: 'no call is parted from its results, the system prompt stays, twice is once',
    tests: runtime('compaction', 'T6: 10,000 random histories', 'is one call of its own, in which no text can pass for a message'),
  },
  {
    id: 'T7', fault: 'a crash while a conversation is saved',
    required: 'every file loads; at most the last record is lost',
    pending: 'packages/agent is not written: it is what saves sessions',
  },
  {
    id: 'T8', fault: 'stored conversations that are not what they should be',
    required: 'plain data only, lone surrogates kept, foreign markers refused',
    tests: [...inFile('packages/core/test/content.test.ts', 'a conversation survives JSON, lone surrogates included'), ...here('properties', 'stored and read back it is the same')],
  },
  {
    id: 'T9', fault: 'calls that cost more than they say',
    required: 'overshoot is at most one call\'s declared maximum; no request after exhaustion',
    tests: [...runtime('budget-adversary', 'overshoot is 0 over 1,000 random schedules'), ...runtime('budget-runs', '100 schedules against a server that does its worst')],
  },
  {
    id: 'T10', fault: 'a model that never stops, a tool that never settles',
    required: 'ends at the limit of steps, of time, of calls at once',
    tests: [...runtime('wire-loops', 'endless calls stop at the limit of steps'), ...runtime('tool-batch', 'a tool that never settles is answered in time', 'never more than the concurrency'), ...runtime('infer', 'nothing but repeats ends it')],
  },
  {
    id: 'T11', fault: 'a run cut off after a tool has run',
    required: 'no stored result is made twice',
    tests: runtime('abort', 'cut off at every await, what is stored can be taken up again'),
  },
  {
    id: 'T12', fault: 'everybody tries again at once',
    required: 'at most 1.1 requests a call once the bucket is empty; waits spread evenly',
    tests: driver('retry', 'a storm of failures drains the bucket', 'the waits are spread evenly'),
  },
  {
    id: 'testConnection', fault: 'a connection that does not work, in 32 ways',
    required: 'one request, 15 s at most, the problem told apart, nothing left open, no key shown',
    tests: factory('connection', 'testConnection with %s', 'gives up after 15 s, whatever does not listen', 'a provider that ignores its options is given up too'),
  },
  {
    id: 'retry', fault: 'passing failures, and hints of every kind how long to wait',
    required: 'one loop; a wait of up to 60 s is kept, a longer one fails at once, nonsense is ignored',
    tests: [...kit('F2', 'F3', 'F4', 'F5'), ...driver('retry', 'which failures are tried again', 'Retry-After', 'a hint is a floor, up to 60 s')],
  },
  {
    id: 'deadline', fault: 'a deadline passes in any phase',
    required: '`timeout` at that instant; no wait passes it',
    tests: [...kit('F6'), ...driver('scope', 'abort, deadline and end each end it once'), ...driver('retry', 'no wait passes the deadline')],
  },
  {
    id: 'UTF-8', fault: 'bytes that are no UTF-8, characters cut in two',
    required: '`protocol`, or the character whole; never a replaced one',
    tests: driver('framing', 'invalid UTF-8 %j is refused', 'a body that stops inside a character is cut, a wrong byte is not'),
  },
  {
    id: 'DNS', fault: 'a name that does not resolve, or not in time',
    required: '`network` (dns), not tried again; a resolver that fails for now is; one that never answers is a `timeout` (connect)',
    tests: [...here('connect', 'a name server that never answers', 'a name server that is slow'), ...driver('undici-transport', 'a name that does not resolve'), ...driver('network-error', '%s is %s (%s), tried again: %s')],
  },
  {
    id: 'TLS', fault: 'a certificate that is refused, TLS to a plain port',
    required: '`network` (tls), not tried again, nothing sent',
    tests: [
      ...withData(here('tls', 'a certificate that is expired, of another host'), openssl),
      ...factory('connection', 'testConnection with %s'),
      ...driver('network-error', '%s is %s (%s), tried again: %s'),
    ],
  },
  {
    id: 'proxy', fault: 'a proxy in between that leads on, refuses, or fails',
    required: 'the conversation goes through it; a refusal is `network` or, of a password, `auth`, (proxy), not tried again',
    tests: [
      ...factory('egress', 'behind a proxy that notes what it is asked for'),
      ...driver('network-error', 'a proxy that answers CONNECT with %i'),
      ...driver('proxy', 'gets it, and the server behind it does not', 'without it, or with another one, the call fails', 'one that allows no way there', 'its password is in nothing that a failure shows'),
    ],
  },
  {
    id: 'no HTTP', fault: 'what answers speaks another protocol',
    required: '`protocol`, not tried again',
    tests: [...driver('undici-transport', 'something that is no HTTP'), ...driver('network-error', 'what is no HTTP is a protocol error'), ...kit('F1 a web page instead of an answer')],
  },
  {
    id: 'advisories', fault: 'what other software of this kind was found to do',
    required: 'none of it, one test for each class',
    tests: [
      ...here('advisories', 'CVE-2024-6587', 'a key in the address', 'CVE-2025-68664', 'CVE-2026-34070', 'CVE-2025-64439', 'CVE-2026-8768', 'AI SDK 5.0.198', 'CVE-2026-22036', 'CVE-2025-66414', 'CVE-2026-21852', 'a NUL in a host'),
      // CVE-2022-0235, #15980, #18072: what a redirect would carry elsewhere, and what is asked for before it is checked.
      ...here('redirects', '$name follows no redirect'),
      ...here('media', '$name: the address of an image is handed on or refused'),
    ],
  },
  {
    id: 'restart', fault: 'the server restarts in mid-stream and between calls',
    required: '`truncated` with what came; the next call works at once',
    tests: here('sockets', 'a server that restarts in mid-stream'),
  },
  {
    id: 'crowd', fault: '1,000 streams at once',
    required: 'each has its own answer',
    tests: here('sockets', '1,000 streams at once'),
  },
  {
    id: 'properties', fault: 'anything: splits, sums, merges, histories, addresses',
    required: 'what must always hold does, for generated cases',
    tests: here('properties', 'adding is associative', 'generations merge into all their texts', 'options: the last defined value wins', 'a valid one keeps every message', 'any order of any messages', 'base URLs: any text'),
  },
]
