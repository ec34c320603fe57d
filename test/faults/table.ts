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
const corpora = 'the test data in ../shared'

/** The faults and threats modelport is held to, in the order of the ids. */
export const rows: readonly FaultRow[] = [
  {
    id: 'S1', fault: 'the connection ends cleanly at any byte',
    required: 'the whole result, or `truncated` with a partial answer that is a start of the truth; never a silent end, never a hang',
    tests: kit('S1 the connection ends at every byte', 'S1 a whole answer cut at every byte', 'R2, D9 a stream without its terminal event'),
  },
  {
    id: 'S2', fault: 'reset, FIN, TLS cut, wrong content-length at any byte',
    required: 'as S1; after the terminal event a success',
    tests: [
      ...kit('S2 the connection is reset at every byte', 'S2 a whole answer reset at every byte', 'S2 a reset after the last byte is a success'),
      ...driver('undici-transport', 'cut at every byte over real sockets'),
    ],
  },
  {
    id: 'S3', fault: 'the same bytes in other chunks',
    required: 'the same events',
    tests: [...kit('S3 byte by byte and in random chunks', 'S3 split in two at every byte', 'S3 a whole answer split at every byte')],
  },
  {
    id: 'S4', fault: 'silence, pings only, a drip of bytes',
    required: '`timeout` at the limit, on two clocks: bytes, and pieces of the answer',
    tests: [
      ...kit('S4 silence after an event', 'S4 silence after the terminal event', 'S4 comments and pings', 'S4 a slow consumer'),
      ...driver('scope', 'a read without a byte ends at the limit, to the millisecond', 'pings keep the first clock only', 'time between reads does not count'),
      ...driver('undici-transport', 'a server that falls silent'),
    ],
  },
  {
    id: 'S5', fault: 'abort at any point',
    required: 'rejects with the signal\'s own reason within 50 ms; sockets and timers gone within 100 ms',
    tests: [
      ...kit('S5 aborted before the call', 'S5 aborted while waiting for the headers', 'S5 aborted in the second round', 'S5 aborted while waiting to try again', 'S5 aborted between reads', 'S5 aborted after every wire event', 'S5 an abort after the end'),
      ...driver('undici-transport', 'abort closes the socket within 100 ms, at each point'),
    ],
  },
]
