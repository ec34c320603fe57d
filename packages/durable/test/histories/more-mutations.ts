// More small changes of the sources, which were made after the histories had learned to find the
// first ones.
import type { Mutation } from './mutations.js'

export const moreMutations: readonly Mutation[] = [
  {
    name: 'a message that comes twice is added to its task twice',
    changes: [
      [
        'agent/src/run/host.ts',
        'if (isEqual && (!isLax || isWorkedOn(task))) return',
        'if (isEqual && isLax && isWorkedOn(task)) return',
      ],
    ],
  },
  {
    name: 'a message that a task has is read from its inbox again',
    changes: [
      [
        'agent/src/run/inbox-messages.ts',
        '.find(({ message }) => !known.has(message.id))',
        '.find(({ message }) => known.size > 0 || message.id)',
      ],
    ],
  },
  {
    name: 'a handler that runs again says again what it said',
    changes: [
      [
        'agent/src/run/handler-turn.ts',
        'if (before && contentOf(before) === contentOf(event)) {',
        'if (before && contentOf(before) !== contentOf(event)) {',
      ],
    ],
  },
  {
    name: 'a child whose outcome is unknown has failed',
    changes: [
      [
        'agent/src/run/sub-agent.ts',
        'uncertain ? { unknown: true } : { failure: message }',
        'uncertain && message === "" ? { unknown: true } : { failure: message }',
      ],
    ],
  },
  {
    name: 'a child that is over is taken for one that still asks',
    changes: [
      [
        'agent/src/run/quiet-children.ts',
        "if (outcome?.status !== 'waiting') return false",
        "if (outcome?.status !== 'waiting') return true",
      ],
    ],
  },
  {
    name: 'a new message cancels the task that works',
    changes: [
      [
        'agent/src/run/host.ts',
        '      if (isInterrupted(state))\n        await this.cancel(',
        '      if (!isTerminal(state))\n        await this.cancel(',
      ],
    ],
  },
  {
    name: 'a child is not cancelled if its caller still makes another call',
    changes: [
      [
        'agent/src/run/sub-agent.ts',
        "      else signal.addEventListener('abort', stop, { once: true })\n",
        '',
      ],
    ],
  },
  {
    name: 'the newest task gets the turn of its session',
    changes: [
      [
        'durable/src/runs/session-transitions.ts',
        'ORDER BY t.place LIMIT 1',
        'ORDER BY t.place DESC LIMIT 1',
      ],
    ],
  },
  {
    name: 'work that is given back is never due',
    changes: [
      [
        'durable/src/runs/transitions.ts',
        "holder: 'NULL',\n      due: ':now',\n      updated: ':now',\n      crashes: '0',",
        "holder: 'NULL',\n      due: 'NULL',\n      updated: ':now',\n      crashes: '0',",
      ],
    ],
  },
  {
    name: 'a cancel that has to be sent again is dropped',
    changes: [
      [
        'durable/src/agents/sql-child-cancels.ts',
        "outcome === 'done'\n        ?",
        "outcome !== 'dead'\n        ?",
      ],
    ],
  },
  {
    name: 'the inbox of a forgotten task stays',
    changes: [
      ['durable/src/agents/sql-tasks.ts', '  ...removeLog(`inbox:${nameOfTask(key)}`),\n', ''],
    ],
  },
  {
    name: 'a message for a task that is being forgotten is kept',
    changes: [
      [
        'durable/src/agents/sql-inbox.ts',
        'params: [id, principal],\n      expect: 1,',
        'params: [id, principal],',
      ],
    ],
  },
  {
    name: 'a decision settles whatever its call waits for by then',
    changes: [
      [
        'durable/src/runs/database-runs.ts',
        'if (!item || (asked ??= requestIdOf(item)) !== requestIdOf(item))',
        'if (!item || (asked ??= requestIdOf(item)) === "")',
      ],
    ],
  },
  {
    name: 'a question that was answered is asked again after a death',
    changes: [
      [
        'runtime/src/loop/calls/recovery.ts',
        'if (question.answer) return live',
        'if (question.answer && question.from) return live',
      ],
    ],
  },
  {
    name: 'a failure of a second sending speaks for the first one',
    changes: [
      [
        'runtime/src/loop/calls/dispatch.ts',
        'const mayHaveHappened = sends > 1 || wasBegun || ',
        'const mayHaveHappened = ',
      ],
    ],
  },
  {
    name: 'a call of unknown outcome that is not waited for has failed',
    changes: [
      [
        'runtime/src/loop/calls/recovery.ts',
        "...(type !== 'approval' && type !== 'question' && { uncertain: true }),",
        "...(type === 'approval' && { uncertain: true }),",
      ],
    ],
  },
  {
    name: 'tasks that were begun are not taken over',
    changes: [
      [
        'durable/src/agents/sql-leases.ts',
        'for (const phase of [1, 0])',
        'for (const phase of [0])',
      ],
    ],
  },
  {
    name: 'a lease is renewed by a write that takes too long',
    changes: [
      [
        'durable/src/runs/stored-journal.ts',
        'if (extension !== undefined) lease.extendedAt(sentAt)',
        'if (extension !== undefined) lease.extendedAt(instant())',
      ],
    ],
  },
  {
    name: 'the room of a call that is over stays taken',
    changes: [
      [
        'durable/src/budgets/sql-budgets.ts',
        "sql: 'DELETE FROM reservations WHERE id = ?', params: [id] }",
        "sql: 'DELETE FROM reservations WHERE id = ? AND at < 0', params: [id] }",
      ],
    ],
  },
  {
    name: 'the answer of a task is stored without what was said',
    changes: [
      [
        'agent/src/run/task-writer.ts',
        'this.#queueSaid.push(...this.#said)',
        'this.#queueSaid = [...this.#said]',
      ],
    ],
  },
]
