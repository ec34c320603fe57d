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
  'a delegated payment whose agent died after it was sent is not told as a failure': {
    seed: 7045,
    moves: [
      {
        after: 5,
        do: 'send and leave',
        n: 817,
        job: {
          id: 'J1',
          kind: 'task',
          steps: [
            [
              { tool: 'once', wish: 'J1.1', ends: [] },
              { tool: 'signed', wish: 'J1.2', ends: [], by: 'tool of bank' },
            ],
          ],
          session: 's1',
        },
      },
      { after: 100, do: 'step a clock', n: 841 },
      { after: 0, do: 'kill', n: 50 },
      {
        after: 4000,
        do: 'send',
        n: 595,
        job: {
          id: 'J3',
          kind: 'explicit',
          steps: [[{ tool: 'keyed', wish: 'J3.2', ends: [] }]],
          session: 's2',
        },
      },
    ],
  },
  'a delegated payment whose agent is away after it took it is waited for': {
    seed: 9153,
    moves: [
      {
        after: 0,
        do: 'send',
        n: 214,
        job: {
          id: 'J2',
          kind: 'task',
          steps: [
            [
              { tool: 'print', wish: 'J2.1', ends: [] },
              { tool: 'keyedSigned', wish: 'J2.2', ends: [], by: 'tool of bank' },
            ],
          ],
          session: 's1',
        },
      },
      { after: 100, do: 'server away', n: 851 },
      { after: 400, do: 'runs.start', n: 169 },
    ],
  },
  'an effect of a handler whose second sending fails stays unknown': {
    seed: 9017,
    moves: [
      {
        after: 0,
        do: 'send and leave',
        n: 365,
        job: {
          id: 'J4',
          kind: 'handler',
          steps: [
            [{ tool: 'keyed', wish: 'J4.1', ends: ['answers 500 after the work', 'refuses'] }],
          ],
          session: 's2',
        },
      },
    ],
  },
  'a call whose second sending fails stays unknown': {
    seed: 9083,
    moves: [
      {
        after: 0,
        do: 'send and leave',
        n: 1,
        job: {
          id: 'J1',
          kind: 'task',
          steps: [
            [{ tool: 'keyed', wish: 'J1.1', ends: ['answers 500 after the work', 'refuses'] }],
          ],
        },
      },
    ],
  },
  'a task that is taken over while its sub-agent waits names who can end it, and sees its end': {
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
  'an effect of a handler whose process was frozen stays unknown if its second sending fails': {
    seed: 20004,
    moves: [
      {
        after: 0,
        do: 'send and leave',
        n: 253,
        job: {
          id: 'J3',
          kind: 'handler',
          session: 's2',
          steps: [[{ tool: 'keyed', wish: 'J3.3', ends: ['is slow', 'refuses'] }]],
        },
      },
      { after: 400, do: 'freeze', n: 645 },
    ],
  },
  'a delegated payment is not made again because the model of its agent fails after it': {
    seed: 1,
    moves: [
      {
        after: 0,
        do: 'send',
        n: 1,
        job: {
          id: 'J1',
          kind: 'task',
          steps: [[{ tool: 'pay', wish: 'J1.1', ends: [], by: 'bank' }]],
        },
      },
      { after: 132, do: 'model away', n: 2 },
      { after: 1500, do: 'card', n: 2 },
    ],
  },
  'a delegated payment that its user did not wait for is not made again': {
    seed: 61398,
    moves: [
      {
        after: 0,
        do: 'send and leave',
        n: 451,
        job: {
          id: 'J2',
          kind: 'task',
          steps: [
            [
              {
                tool: 'signed',
                wish: 'J2.1',
                ends: ['answers 500 after the work'],
                by: 'tool of bank',
              },
              { tool: 'signed', wish: 'J2.2', ends: [] },
            ],
          ],
          session: 's1',
        },
      },
      { after: 4000, do: 'reply', n: 701 },
    ],
  },
  'a decision that comes while its task is forgotten is not kept': {
    seed: 38,
    moves: [
      {
        after: 20,
        do: 'send and leave',
        n: 777,
        job: {
          id: 'J1',
          kind: 'task',
          steps: [[{ tool: 'keyedSigned', wish: 'J1.1', ends: [] }]],
        },
      },
      { after: 4000, do: 'budgets.set', n: 824 },
      { after: 5, do: 'runs.events', n: 267 },
      { after: 20, do: 'budgets.remove', n: 825 },
      { after: 5, do: 'operations.forget', n: 703 },
      { after: 5, do: 'decide', n: 94 },
    ],
  },
  'an agent that is called while its caller is forgotten forgets what it was told': {
    seed: 94,
    moves: [
      {
        after: 0,
        do: 'send and leave',
        n: 652,
        job: {
          id: 'J1',
          kind: 'handler',
          steps: [[{ tool: 'keyed', wish: 'J1.2', ends: [] }]],
        },
      },
      {
        after: 0,
        do: 'send and leave',
        n: 450,
        job: {
          id: 'J2',
          kind: 'task',
          steps: [[{ tool: 'once', wish: 'J2.1', ends: [], by: 'tool of bank' }]],
        },
      },
      { after: 30, do: 'operations.forget', n: 292 },
    ],
  },
  'a task that an operator cancels is cancelled at the agent that it delegated to': {
    seed: 100876,
    moves: [
      {
        after: 100,
        do: 'send and leave',
        n: 804,
        job: {
          id: 'J1',
          kind: 'task',
          steps: [[{ tool: 'signed', wish: 'J1.1', ends: [], by: 'bank' }]],
        },
      },
      { after: 4000, do: 'operations.cancel', n: 996 },
    ],
  },
  'a task does not cancel itself because its process was frozen when it came': {
    seed: 61107,
    moves: [
      {
        after: 20,
        do: 'send and leave',
        n: 336,
        job: {
          id: 'J1',
          kind: 'task',
          steps: [[{ tool: 'print', wish: 'J1.2', ends: [] }]],
          session: 's1',
        },
      },
      { after: 20, do: 'freeze', n: 640 },
    ],
  },
  'a task that is cancelled while another of its calls works is cancelled at the agent that waits':
    {
      seed: 300882,
      moves: [
        {
          after: 0,
          do: 'send and leave',
          n: 258,
          job: {
            id: 'J1',
            kind: 'task',
            steps: [
              [
                { tool: 'signed', wish: 'J1.1', ends: [], by: 'bank' },
                { tool: 'once', wish: 'J1.2', ends: ['is slow'] },
              ],
            ],
            session: 's2',
          },
        },
        { after: 400, do: 'cancel', n: 556 },
      ],
    },
  'a process whose heartbeat gets no reply stops at the end of its lease': {
    seed: 11,
    moves: [
      {
        after: 0,
        do: 'send and leave',
        n: 1,
        job: { id: 'J1', kind: 'task', steps: [[{ tool: 'slowly', wish: 'J1.1', ends: [] }]] },
      },
      { after: 0, when: 'a call is begun', do: 'connection stalls', n: 999 },
      { after: 4000, do: 'get', n: 1 },
    ],
  },
  'a task that ends while an operator resumes it is over': {
    seed: 200,
    repeatsIds: true,
    weather: { exchanges: 0.03, sendings: 0, writes: 0.01, moments: 0, news: 0.3 },
    moves: [
      {
        after: 0,
        do: 'send and leave',
        n: 582,
        when: 'a call is begun',
        job: {
          id: 'J1',
          kind: 'task',
          steps: [
            [{ tool: 'look', wish: 'J1.1', ends: ['is slow'], isTwice: true }],
            [{ tool: 'look', wish: 'J1.2', ends: [], isTwice: true }],
          ],
          session: 's2',
        },
      },
      {
        after: 4,
        do: 'a guest sends',
        n: 582,
        job: {
          id: 'J2',
          kind: 'guest',
          steps: [
            [
              { tool: 'keyed', wish: 'J2.1', ends: [], isTwice: true },
              { tool: 'keyed', wish: 'J2.2', ends: [] },
              { tool: 'keyed', wish: 'J2.3', ends: [] },
            ],
          ],
          session: 'g1',
        },
      },
      { after: 1, do: 'deliver', n: 582 },
      { after: 30, do: 'host.cancel', n: 223, again: { times: 2, everyMs: 1000 } },
      { after: 60, do: 'operations.resume', n: 653 },
    ],
  },
  'a heartbeat that hangs does not hide the end of a lease': {
    seed: 13,
    weather: { exchanges: 0, sendings: 0, writes: 0.01, moments: 0, news: 0 },
    moves: [
      {
        after: 1500,
        do: 'send and leave',
        n: 517,
        when: 'an agent is called',
        job: {
          id: 'J1',
          kind: 'task',
          steps: [
            [
              { tool: 'slowly', wish: 'J1.1', ends: [] },
              { tool: 'print', wish: 'J1.2', ends: [] },
            ],
          ],
          session: 's1',
        },
      },
      { after: 4, do: 'runs.start', n: 517 },
      { after: 100, do: 'list', n: 921 },
      { after: 1500, do: 'slow read', n: 455, when: 'a call is begun' },
      {
        after: 400,
        do: 'stream',
        n: 220,
        job: {
          id: 'J2',
          kind: 'task',
          steps: [
            [
              { tool: 'remote', wish: 'J2.1', ends: [] },
              { tool: 'slowly', wish: 'J2.2', ends: ['reaches nobody'], by: 'bank' },
              { tool: 'slowly', wish: 'J2.3', ends: [] },
            ],
            [
              { tool: 'remote', wish: 'J2.4', ends: [] },
              { tool: 'print', wish: 'J2.5', ends: [] },
            ],
          ],
          session: 's2',
        },
      },
      { after: 100, do: 'deliver', n: 492, when: 'a model is asked' },
      { after: 1500, do: 'a guest decides', n: 934 },
      { after: 15, do: 'die at a write', n: 480 },
      { after: 15, do: 'slow write', n: 782 },
    ],
  },
}
