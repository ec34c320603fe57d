// Small changes of the sources that a careless engineer could make. Each breaks a promise of
// docs/contract.md or of a page that it names; the histories have to find each of them.

import { moreMutations } from './more-mutations.js'

/** A change of the sources, and the promise that it breaks. */
export interface Mutation {
  readonly name: string
  /** Ends of paths under `packages`, texts that the file has once, and what takes their place. */
  readonly changes: readonly (readonly [file: string, find: string, put: string])[]
  /** Set if it breaks no promise after all: why. */
  readonly equivalent?: string
}

const transitions = 'durable/src/runs/transitions.ts'
const journal = 'durable/src/runs/stored-journal.ts'
const lease = 'durable/src/runs/lease.ts'
const held = 'durable/src/agents/held-tasks.ts'
const tasks = 'durable/src/agents/sql-tasks.ts'
const turns = 'durable/src/runs/session-turns.ts'
const budgets = 'durable/src/budgets/sql-budgets.ts'
const activations = 'agent/src/run/activations.ts'
const decisions = 'agent/src/run/read-decisions.ts'
const waits = 'agent/src/run/wait-state.ts'
const target = 'agent/src/client/agent-target.ts'
const effects = 'agent/src/run/handler-effects.ts'
const canceller = 'agent/src/run/child-canceller.ts'
const dispatch = 'runtime/src/loop/calls/dispatch.ts'
const recovery = 'runtime/src/loop/calls/recovery.ts'

export const mutations: readonly Mutation[] = [
  // Leases and fences.
  {
    name: 'a holder whose run was claimed again still writes',
    changes: [[transitions, "sql: 'epoch = :epoch' }", "sql: 'epoch >= :epoch' }"]],
  },
  {
    name: 'a claim does not raise the epoch',
    changes: [
      [
        transitions,
        "epoch: 'epoch + 1',\n      updated: ':now',\n      progress: '0',",
        "updated: ':now',\n      progress: '0',",
      ],
    ],
  },
  {
    name: 'a heartbeat that is refused counts as one',
    changes: [
      [
        lease,
        "if (await this.#extend()) this.extendedAt(sentAt)\n      else this.#lose('another worker claimed it, or it was cancelled')",
        'await this.#extend()\n      this.extendedAt(sentAt)',
      ],
    ],
  },
  {
    name: 'a lease begins when its heartbeat is answered',
    changes: [
      [
        lease,
        'if (await this.#extend()) this.extendedAt(sentAt)',
        'if (await this.#extend()) this.extendedAt(instant())',
      ],
    ],
  },
  {
    name: 'a lease is valid for twice its time',
    changes: [
      [
        lease,
        'elapsedSince(this.#validFrom) >= this.#leaseMs)',
        'elapsedSince(this.#validFrom) >= this.#leaseMs * 2)',
      ],
    ],
  },
  {
    name: 'a call starts after an intent that took longer than the lease',
    changes: [
      [
        journal,
        '    // The write may have taken long: nothing starts once another worker may have the run.\n    this.#checkLease()',
        '',
      ],
    ],
  },
  {
    name: 'a task is claimed half a lease early',
    changes: [
      ['durable/src/runs/claim.ts', 'params: [from.id, now],', 'params: [from.id, now + 1000],'],
    ],
  },
  {
    name: 'an operator who resumes takes the work from a live process',
    changes: [
      [
        'durable/src/operate/database-operations.ts',
        'this.#isAhead(due) && !takeOver)',
        'this.#isAhead(due) && !takeOver && due < 0)',
      ],
    ],
  },

  // Decisions.
  {
    name: 'a decision that comes while a run begins to wait is not read',
    changes: [
      [
        transitions,
        "const hasMail = '(mail > :seen OR cancel IS NOT NULL)'",
        "const hasMail = '(mail > :seen + 1 OR cancel IS NOT NULL)'",
      ],
    ],
  },
  {
    name: 'a decision about an earlier checkpoint is accepted',
    changes: [
      [
        transitions,
        "sql: 'checks = :checks AND cancel IS NULL'",
        "sql: 'checks >= :checks AND cancel IS NULL'",
      ],
    ],
  },
  {
    name: 'a decision that comes while another one works is left behind',
    changes: [
      [journal, 'if (this.#isUndecided(item)) this.#carryDecision(change, item.id)', 'void item'],
    ],
  },
  {
    name: 'the end of a hold removes decisions that it has not read',
    changes: [
      [
        'durable/src/runs/held-run.ts',
        "'DELETE FROM inbox WHERE run = ? AND about <= ?', params: [id, checks] }",
        "'DELETE FROM inbox WHERE run = ? AND about <= ?', params: [id, checks + 1] }",
      ],
    ],
  },
  {
    name: 'a decision counts for a request whose digest is another one',
    changes: [[decisions, 'if (!isBound) throw notAsked()', 'void isBound']],
  },
  {
    name: 'an approval settles a call whose outcome is unknown',
    changes: [
      [
        decisions,
        'checkDecision(decision, request.uncertain === true)',
        'checkDecision(decision, decision.outcome !== undefined)',
      ],
    ],
  },
  {
    name: 'anybody may decide about a request',
    changes: [[decisions, 'if (isAllowed !== true)', "if (isAllowed === 'no')"]],
  },
  {
    name: 'anybody may deliver a result',
    changes: [[decisions, 'if (mayGive !== true)', "if (mayGive === 'no')"]],
  },
  {
    name: 'a request about an unknown outcome is named without its attempt',
    changes: [[waits, '`#${item.attempt ?? 1}`', "'#1'"]],
  },
  {
    name: 'a decision is applied again at a later checkpoint',
    changes: [
      [
        waits,
        'if (asked?.runId !== runId || asked.step !== step || asked.seq !== seq) return []',
        'if (asked?.runId !== runId) return []',
      ],
    ],
  },
  {
    name: 'one repeat lets a call be made again after each death',
    changes: [
      [
        recovery,
        "if (decision?.type === 'repeat' && !state.storage.log.isBegunAfterCheckpoint(open.key))",
        "if (decision?.type === 'repeat')",
      ],
    ],
  },
  {
    name: 'two results with one secret are accepted',
    changes: [
      [
        'durable/src/agents/sql-grants.ts',
        'if (grant.content !== undefined) return { key, call, content: grant.content }',
        'void grant.content',
      ],
    ],
  },

  // Messages and conversations.
  {
    name: 'the same message twice at once makes two tasks',
    changes: [
      [
        tasks,
        'JSON.stringify({ taskId: id, digest: message.digest }),\n      ],\n      expect: 1,',
        'JSON.stringify({ taskId: id, digest: message.digest }),\n      ],',
      ],
    ],
  },
  {
    name: 'messages of two principals have one key',
    changes: [
      [
        tasks,
        'JSON.stringify([principal, agent, messageId])',
        'JSON.stringify([agent, messageId])',
      ],
    ],
  },
  {
    name: 'a message leaves the inbox before it is stored in its task',
    changes: [
      [
        activations,
        'await writer.write(...next.events)\n        await this.#store.inbox.take(key, next.seq)',
        'await this.#store.inbox.take(key, next.seq)\n        await writer.write(...next.events)',
      ],
    ],
  },
  {
    name: 'a message that comes as its task ends or waits is left in the inbox',
    changes: [[activations, 'if (!isLost) return', 'if (!isLost || attempt === 0) return']],
  },
  {
    name: 'a process that stops reports the end of its tasks',
    changes: [
      [
        'agent/src/run/task-writer.ts',
        'if (this.#givesBack?.aborted) return Promise.resolve()',
        '',
      ],
    ],
  },
  {
    name: 'a task that waits keeps the turn of its session',
    changes: [
      [
        held,
        "change.settle({ status: 'suspended', wake, phase: 3 })\n      this.#giveTurn(change, record)",
        "change.settle({ status: 'suspended', wake, phase: 3 })",
      ],
    ],
  },
  {
    name: 'tasks of a deleted session wait for its turn',
    changes: [
      [
        turns,
        'WHERE s.name = ? AND t.place IS NOT NULL)`',
        'WHERE s.name = ? AND t.place IS NULL)`',
      ],
    ],
  },
  {
    name: 'whoever gives a turn back does not hand it on',
    changes: [
      [
        turns,
        "sessionTransition('release', byName(name), { holder }), ...handOn(byName(name), now)]",
        "sessionTransition('release', byName(name), { holder })]",
      ],
    ],
  },
  {
    name: 'a task that continues does not ask for the turn',
    changes: [
      [
        tasks,
        'return [wakeRun(id, now), ...askForTurn(id, now + headStartMs)]',
        'return [wakeRun(id, now)]',
      ],
    ],
  },
  {
    name: 'what a task said is stored after its end',
    changes: [
      [
        held,
        'if (said.length > 0) change.run(lockSession(key.id), ...this.planSaid(key.id, head, said))\n        this.#apply(change, head, events)',
        'this.#apply(change, head, events)\n        if (said.length > 0) change.run(lockSession(key.id), ...this.planSaid(key.id, head, said))',
      ],
    ],
  },
  {
    name: 'a superseded task is the one that supersedes',
    changes: [
      [
        'agent/src/run/host.ts',
        'open.slice(0, Math.max(0, place))',
        'open.slice(0, Math.max(0, place + 1))',
      ],
    ],
  },
  {
    name: 'a page that reads on gets the last event that it had again',
    changes: [
      [
        'durable/src/chat/chat-routes.ts',
        'if (isAfter(placed, after))',
        'if (isAfter(placed, after) || `${placed.place}` === after)',
      ],
    ],
  },

  // Cancels.
  {
    name: 'a call begins although its run was cancelled',
    changes: [[journal, "isStart ? ' AND cancel IS NULL' : ''", "''"]],
  },
  {
    name: 'a task is cancelled before the cancels of its children are stored',
    changes: [
      [
        activations,
        '    await this.canceller.requestAll(key)\n    const active',
        '    const active',
      ],
      [
        activations,
        '[cancelledEvent(reason)], said)\n',
        '[cancelledEvent(reason)], said)\n    await this.canceller.requestAll(key)\n',
      ],
    ],
  },
  {
    name: 'a child is cancelled although its caller continues elsewhere',
    changes: [
      [
        canceller,
        "if (!(await this.#isOver(row.key))) return [isLate ? 'done' : retryIn(50 * 2 ** row.attempts)]",
        '',
      ],
    ],
  },
  {
    name: 'a cancel that cannot be sent is given up',
    changes: [
      [canceller, 'if (!isLate && isTemporary(error))', 'if (isLate && isTemporary(error))'],
    ],
  },
  {
    name: 'a cancelled task of an agent has failed, and did nothing',
    changes: [
      [
        target,
        "task.metadata['uncertain'] === true || task.state === 'cancelled'",
        "task.metadata['uncertain'] === true",
      ],
    ],
  },
  {
    name: 'a task that was cancelled elsewhere works on',
    changes: [
      [
        'durable/src/agents/held-task.ts',
        'if (head && isTerminal(head.state))',
        'if (head && isTerminal(head.state) && head.seq < 0)',
      ],
    ],
  },

  // Calls and their keys.
  {
    name: 'a call begins before its intent is stored',
    changes: [
      [
        dispatch,
        'await storage.log.intend(key, intentOf(open)).catch(this.#stop)',
        'void storage.log.intend(key, intentOf(open)).catch(this.#stop)',
      ],
    ],
  },
  {
    name: 'a delegated call that is sent again is a new message',
    changes: [
      [
        target,
        'const id = messageIdOf(context.run.idempotencyKey)',
        'const id = `${messageIdOf(context.run.idempotencyKey)}${Date.now()}`',
      ],
    ],
  },
  {
    name: 'an effect of a handler begins before it is stored',
    changes: [[effects, 'if (!own.length) await write({', 'if (!own.length) void write({']],
  },
  {
    name: 'an effect of a handler is always the first',
    changes: [
      [effects, 'effect.execute({ first: !own.length })', 'effect.execute({ first: true })'],
    ],
  },
  {
    name: 'an effect of a handler is made again although its result is stored',
    changes: [
      [
        effects,
        'if (known) return known\n\n        if (!own',
        'if (known && own.length > 9) return known\n\n        if (!own',
      ],
    ],
  },
  {
    name: 'a receipt of an earlier sending speaks for a later one',
    changes: [
      [
        recovery,
        'return receipt.attempt >= (intent?.attempt ?? 0) ? receipt : undefined',
        'return intent ? receipt : undefined',
      ],
    ],
  },
  {
    name: 'a call like one of unknown outcome is made',
    changes: [
      [
        recovery,
        "intention?.isRepeated === true && effect === 'once'",
        "intention?.isRepeated === true && effect !== 'once'",
      ],
    ],
  },
  {
    name: 'a call whose receiver knows nothing is answered as failed',
    changes: [
      [
        dispatch,
        "else if (found.outcome === 'not-executed' && mayBeSent) this.#again.push(open)",
        "else if (found.outcome === 'not-executed' && mayBeSent && open.sends > 1) this.#again.push(open)",
      ],
    ],
    equivalent: 'the call counts as unknown, is held, and is looked up again before it is made',
  },
  {
    name: 'two calls of one wish in a step have one key',
    changes: [
      [
        'runtime/src/loop/calls/step-call.ts',
        '`${name}/${intention.digest}/${intention.ordinal}`',
        '`${name}/${intention.digest}`',
      ],
    ],
  },
  {
    name: 'a task that failed after calls is a plain failure for its caller',
    changes: [
      [
        'agent/src/run/task-runner.ts',
        'failedWith(turn, text, made !== undefined), failure',
        'failedWith(turn, text), failure',
      ],
    ],
  },

  // Budgets.
  {
    name: 'a budget refuses the last call that fits',
    changes: [[budgets, '+ ? <= ${name} + ${addOf(name)})`', '+ ? < ${name} + ${addOf(name)})`']],
  },
  {
    name: 'what a call reserved is not given back',
    changes: [
      [
        budgets,
        'used${name} + ? - (SELECT r.${name} ${held})`)',
        'used${name} + ? - 0 * (SELECT r.${name} ${held})`)',
      ],
    ],
  },
  {
    name: 'the receipt of a call does not settle what it reserved',
    changes: [[journal, 'if (settlement) this.#settle(change, settlement)', 'void settlement']],
  },
  {
    name: 'a call takes its room in a transaction of its own',
    changes: [
      [
        journal,
        'change.charge(apply, table.takes(take), ...table.reservation(take))',
        'change.charge(apply, [], ...table.reservation(take))',
      ],
    ],
  },

  // What is removed.
  {
    name: 'what agents were told is not forgotten',
    changes: [
      [
        'durable/src/operate/forget.ts',
        'for (const request of requests) await cancels.put(request)',
        'for (const request of requests.slice(1)) await cancels.put(request)',
      ],
    ],
  },
  {
    name: 'prune removes tasks that wait',
    changes: [
      [
        'durable/src/operate/prune.ts',
        "const overTasks = ['completed', 'failed', 'cancelled', 'rejected'] as const",
        "const overTasks = ['completed', 'failed', 'cancelled', 'rejected', 'input-required'] as const",
      ],
    ],
  },
  ...moreMutations,
]
