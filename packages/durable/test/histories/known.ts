// What the histories found and nobody has mended yet: a history that goes wrong in such a way only
// is not a new one. Whoever mends a defect removes its row.
import type { Call, History, Sending } from './history.js'
import type { MoveName } from './moves.js'

export interface KnownDefect {
  readonly what: string
  /** The shortest history that shows it; it has to go wrong as long as the row is here. */
  readonly history: History<MoveName>
  matches(wrong: string, history: History): boolean
}

const unclear: ReadonlySet<Sending> = new Set([
  'loses the reply',
  'loses the request',
  'answers 500 after the work',
  'hangs',
  'hangs before the work',
  'arrives late',
])

const callIn = ({ moves }: History, wish: string): Call | undefined =>
  moves.flatMap(({ job }) => (job?.steps ?? []).flat()).find((call) => call.wish === wish)

/** The wish that a sentence of the auditor is about. */
const wishOf = (wrong: string): string => /J\d+\.\d+/.exec(wrong)?.[0] ?? ''
const jobOf = (wrong: string): string => /J\d+/.exec(wrong)?.[0] ?? ''

export const knownDefects: readonly KnownDefect[] = [
  {
    what: 'a call of another agent’s tool whose outcome that agent does not know is an ordinary failure to the caller, whose model makes it again',
    history: {
      seed: 2034,
      moves: [
        {
          after: 0,
          do: 'send',
          n: 830,
          job: {
            id: 'J1',
            kind: 'task',
            steps: [[{ tool: 'pay', wish: 'J1.1', ends: ['hangs'], by: 'tool of bank' }]],
          },
        },
      ],
    },
    matches: (wrong, history) => {
      const call = callIn(history, wishOf(wrong))
      return (
        /^[ABF]: /.test(wrong) &&
        call?.by === 'tool of bank' &&
        call.ends.some((end) => unclear.has(end))
      )
    },
  },
  {
    what: 'a task that is taken over while its sub-agent waits for late work names nobody, and does not see the end of it',
    history: {
      seed: 2202,
      moves: [
        {
          after: 400,
          do: 'send and leave',
          n: 903,
          job: {
            id: 'J1',
            kind: 'handler',
            session: 's1',
            steps: [[{ tool: 'keyed', wish: 'J1.4', ends: [] }]],
          },
        },
        {
          after: 0,
          do: 'stream',
          n: 574,
          job: {
            id: 'J2',
            kind: 'task',
            session: 's2',
            steps: [
              [
                { tool: 'keyed', wish: 'J2.1', ends: ['is slow', 'loses the reply'] },
                { tool: 'print', wish: 'J2.2', ends: [], by: 'bank' },
              ],
            ],
          },
        },
        { after: 400, do: 'kill', n: 175 },
      ],
    },
    matches: (wrong, { moves }) =>
      /^E: J\d+ is input-required, and waits for nobody/.test(wrong) &&
      moves.some(
        ({ job }) =>
          job?.id === jobOf(wrong) &&
          job.steps.flat().some(({ tool, by }) => tool === 'print' && by !== undefined),
      ),
  },
]

/** What is wrong and not known yet. */
export const newIn = (wrong: readonly string[], history: History): readonly string[] =>
  wrong.filter((each) => !knownDefects.some((defect) => defect.matches(each, history)))
