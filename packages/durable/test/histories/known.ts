// What the histories found and nobody has mended yet: a history that goes wrong in such a way only
// is not a new one. Whoever mends a defect removes its row.
import type { History } from './history.js'
import type { MoveName } from './moves.js'

export interface KnownDefect {
  readonly what: string
  /** The shortest history that shows it; it has to go wrong as long as the row is here. */
  readonly history: History<MoveName>
  matches(wrong: string, history: History): boolean
}

const jobOf = (wrong: string): string => /J\d+/.exec(wrong)?.[0] ?? ''

export const knownDefects: readonly KnownDefect[] = [
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
