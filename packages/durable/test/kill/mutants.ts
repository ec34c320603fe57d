// Mistakes that this package had once, each as a change of its sources. The killing test has to notice each of them.

export interface Mutant {
  readonly name: string
  /** End of the path of the file. */
  readonly file: string
  /** Texts that it has once, and what takes their place. */
  readonly changes: readonly (readonly [find: string, put: string])[]
  /** What notices it: a case of `cuts.ts`, or a storm. */
  readonly seenBy: { readonly cut: string } | { readonly storm: 'poison' | 'upgrade' | 'left behind' }
}

export const mutants: readonly Mutant[] = [
  {
    name: 'a decision is applied again at a later checkpoint',
    file: 'durable/src/runs/run-table.ts',
    changes: [['WHERE run = ? AND about = ? ORDER BY at, id', 'WHERE run = ? AND about <= ? ORDER BY at, id']],
    seenBy: { cut: 'a run: two parallel calls, then an approval' },
  },
  {
    name: 'a call can be decided about once only, whatever asks',
    file: 'durable/src/runs/run-table.ts',
    changes: [['JSON.stringify([id, checks, decision.id])', 'JSON.stringify([id, decision.id])']],
    seenBy: { cut: 'a run: two parallel calls, then an approval' },
  },
  {
    name: 'the message that began a turn is read as an answer after a restart',
    file: 'src/run/default-handler.ts',
    changes: [
      [
        'const unread = stored ? turn.unread :',
        'const unread = stored ? (turn.message && hasContent(turn.message) ? [turn.message] : turn.unread) :',
      ],
    ],
    seenBy: { cut: 'an agent: a call and an approval, then another call' },
  },
  {
    name: 'deaths in company count like deaths alone',
    file: 'durable/src/runs/claim.ts',
    changes: [['const mostInCompany = 2', 'const mostInCompany = 99']],
    seenBy: { storm: 'poison' },
  },
  {
    name: 'a message and its task are two commits',
    file: 'durable/src/agents/sql-tasks.ts',
    changes: [
      [
        '    const result = await this.#database.write([\n      {\n        sql: `INSERT INTO tasks',
        '    if (claim) await this.#database.write([claim])\n    const result = await this.#database.write([\n      {\n        sql: `INSERT INTO tasks',
      ],
    ],
    seenBy: { cut: 'an agent: a call and an approval, then another call' },
  },
  {
    name: 'a task that waits does not continue under a changed prompt',
    file: 'src/run/default-handler.ts',
    changes: [
      [
        "return (agent.settings.onChange ?? 'continue') === 'continue' && !touchesPending",
        'return touchesPending && agent === undefined',
      ],
      [" && agent.settings.onChange === 'stop'", ' && agent !== undefined'],
    ],
    seenBy: { storm: 'upgrade' },
  },
  {
    name: 'tasks of all agents are cut to a page before they are filtered',
    file: 'durable/src/agents/sql-leases.ts',
    changes: [
      [
        '(SELECT id, due FROM runs WHERE queue = ? AND version = ? AND phase = ? AND due <= ? ORDER BY due LIMIT ?) r\n        JOIN tasks t ON r.id',
        '(SELECT ? AS q, ? AS v, id, queue, version FROM runs WHERE phase = ? AND due <= ? ORDER BY due LIMIT ?) r\n        JOIN tasks t ON r.queue = r.q AND r.version = r.v AND r.id',
      ],
    ],
    seenBy: { storm: 'left behind' },
  },
]
