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

export const knownDefects: readonly KnownDefect[] = [
  {
    what: 'a chat that is edited while its owner is forgotten is copied, and the copy stays',
    history: {
      seed: 301113,
      keepsWaiting: true,
      moves: [
        {
          after: 0,
          do: 'chat: post',
          n: 334,
          job: {
            id: 'J2',
            kind: 'chat',
            steps: [[{ tool: 'keyed', wish: 'J2.3', ends: ['answers', 'hangs before the work'] }]],
            session: 'c2',
          },
        },
        { after: 1500, do: 'operations.decide', n: 448 },
        { after: 0, do: 'operations.forget', n: 943 },
        {
          after: 0,
          do: 'chat: edit',
          n: 530,
          job: {
            id: 'J7',
            kind: 'chat',
            steps: [[{ tool: 'print', wish: 'J7.3', ends: [] }]],
            session: 'c2',
          },
        },
      ],
    },
    matches: (wrong, { moves }) =>
      wrong.startsWith('L:') && moves.some((move) => move.do === 'chat: edit'),
  },
]

/** What is wrong and not known yet. */
export const newIn = (wrong: readonly string[], history: History): readonly string[] =>
  wrong.filter((each) => !knownDefects.some((defect) => defect.matches(each, history)))
