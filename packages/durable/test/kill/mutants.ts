// Mistakes that this package had once, each as a change of its sources. The killing test has to
// notice each of them.

export interface Mutant {
  readonly name: string
  /** Ends of paths of files, texts that they have once, and what takes their place. */
  readonly changes: readonly (readonly [file: string, find: string, put: string])[]
  /** What notices it: a case of `cuts.ts`, or a storm. */
  readonly seenBy:
    | { readonly cut: string }
    | { readonly storm: 'poison' | 'upgrade' | 'left behind' }
}

const table = 'durable/src/runs/run-table.ts'
const handler = 'src/run/default-handler.ts'

/** A checkpoint, and the decisions that it used, are two commits. */
const twoCommits: Mutant['changes'] = [
  [
    table,
    'WHERE run = ? AND about = ? ORDER BY at, id',
    'WHERE run = ? AND about <= ? ORDER BY at, id',
  ],
  [
    'durable/src/runs/stored-journal.ts',
    'this.#queue.defer(soonMs, (change) => {\n      this.#setTranscript(change, keep, added)\n      const place',
    'return this.#queue.write((change) => {\n      this.#setTranscript(change, keep, added)\n      const place',
  ],
]

export const mutants: readonly Mutant[] = [
  {
    name: 'one decision that a call did not happen repeats it twice',
    changes: twoCommits,
    seenBy: { cut: 'a run: a call whose outcome is unknown' },
  },
  {
    name: 'an approval is applied to a call whose outcome is unknown by now',
    changes: twoCommits,
    seenBy: { cut: 'a run: two parallel calls, then an approval' },
  },
  {
    name: 'the message that began a turn is read as an answer after a restart',
    changes: [
      [
        handler,
        'const unread = stored ? turn.unread :',
        'const unread = stored ? (turn.message && hasContent(turn.message) ? [turn.message] : turn.unread) :',
      ],
    ],
    seenBy: { cut: 'an agent: a call and an approval, then another call' },
  },
  {
    name: 'deaths in company count like deaths alone',
    changes: [['durable/src/runs/claim.ts', 'const mostInCompany = 2', 'const mostInCompany = 99']],
    seenBy: { storm: 'poison' },
  },
  {
    name: 'a message and its task are two commits',
    changes: [
      [
        'durable/src/agents/sql-tasks.ts',
        '    const result = await this.#database.write([\n      {\n        sql: `INSERT INTO tasks',
        '    if (claim) await this.#database.write([claim])\n    const result = await this.#database.write([\n      {\n        sql: `INSERT INTO tasks',
      ],
      ['durable/src/agents/sql-tasks.ts', '...(claim ? [claim] : []),', ''],
      [
        'src/run/host.ts',
        'if (known) await this.store.tasks.forgetMessage(principal, agent.name, message.id)',
        "if (known) throw new AgentError('busy', 'A message with this id is being accepted; come back later')",
      ],
    ],
    seenBy: { cut: 'an agent: a call and an approval, then another call' },
  },
  {
    name: 'a task that waits fails under a changed prompt',
    changes: [
      [
        handler,
        "return (agent.settings.onChange ?? 'continue') === 'continue' && !touchesPending",
        'return touchesPending && agent === undefined',
      ],
      [handler, " && agent.settings.onChange === 'stop'", ' && agent !== undefined'],
    ],
    seenBy: { storm: 'upgrade' },
  },
  {
    name: 'tasks of all agents are cut to a page before they are filtered',
    changes: [
      [
        'durable/src/agents/sql-leases.ts',
        '(SELECT id, due FROM runs WHERE queue = ? AND version = ? AND phase = ? AND due <= ? ORDER BY due LIMIT ?) r\n        JOIN tasks t ON r.id',
        '(SELECT ? AS q, ? AS v, id, queue, version FROM runs WHERE phase = ? AND due <= ? ORDER BY due LIMIT ?) r\n        JOIN tasks t ON r.queue = r.q AND r.version = r.v AND r.id',
      ],
    ],
    seenBy: { storm: 'left behind' },
  },
]
