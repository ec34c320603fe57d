// Histories that found a defect which is mended: they stay.
import type { History, ToolName } from './history.js'
import type { MoveName } from './moves.js'

const delegated = (tool: ToolName): History<MoveName> => ({
  seed: 2034,
  moves: [
    {
      after: 0,
      do: 'send',
      n: 830,
      job: {
        id: 'J1',
        kind: 'task',
        steps: [[{ tool, wish: 'J1.1', ends: ['hangs', 'hangs'], by: 'tool of bank' }]],
      },
    },
  ],
})

export const cases: Readonly<Record<string, History<MoveName>>> = {
  'a delegated payment without a reply is not made again': delegated('pay'),
  'a delegated payment that was approved is not made again': delegated('keyedSigned'),
  'a delegated payment that asked its user is not made again': delegated('book'),
  'a call of a message without a reply says that its outcome is unknown': {
    seed: 5,
    moves: [
      {
        after: 0,
        do: 'send and leave',
        n: 1,
        job: {
          id: 'J1',
          kind: 'explicit',
          steps: [[{ tool: 'pay', wish: 'J1.1', ends: ['loses the reply'] }]],
        },
      },
    ],
  },
}
