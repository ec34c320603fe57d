// What no change of a row may do, whoever makes it. Each is a trigger of the database in memory: it
// sees every row that a transaction changes, and costs a condition.

const over = `('completed', 'failed', 'cancelled', 'rejected')`
const isBegun = `NEW.kind IN ('intent tool', 'intent agent')`

interface Guard {
  /** When it looks, and at which table. */
  readonly at: string
  /** What may not be. */
  readonly when: string
  /** What is shown of it, as SQL. */
  readonly shows: string
}

/** How each is said, and what it looks at. */
const guards: Readonly<Record<string, Guard>> = {
  'an entry that was stored was changed': {
    at: 'UPDATE ON entries',
    when: '1',
    shows: `OLD.log || ' ' || OLD.seq`,
  },
  'a log lost its newest entries': {
    at: 'UPDATE ON logs',
    when: 'NEW.seq < OLD.seq OR NEW.kept < OLD.kept',
    shows: 'OLD.id',
  },
  'a task that was over is not any more': {
    at: 'UPDATE ON tasks',
    when: `OLD.state IN ${over} AND NEW.state <> OLD.state`,
    shows: `OLD.id || ' ' || OLD.state || ' ' || NEW.state`,
  },
  'a task has another owner, agent or session': {
    at: 'UPDATE ON tasks',
    when: `NEW.principal <> OLD.principal OR NEW.agent <> OLD.agent OR NEW.session <> OLD.session`,
    shows: 'OLD.id',
  },
  'a count of a run went back': {
    at: 'UPDATE ON runs',
    when: `NEW.epoch < OLD.epoch OR NEW.checks < OLD.checks OR NEW.journal < OLD.journal OR NEW.mail < OLD.mail`,
    shows: 'OLD.id',
  },
  'a run that was cancelled or finished well is not over any more': {
    at: 'UPDATE ON runs',
    when: `OLD.status IN ('cancelled', 'finished') AND NEW.status NOT IN ('cancelled', 'finished') AND COALESCE(OLD.result, '') NOT LIKE '%failed%'`,
    shows: `OLD.id || ' ' || NEW.status`,
  },
  'a run was taken, and its epoch stayed': {
    at: 'UPDATE ON runs',
    when: `NEW.status = 'running' AND COALESCE(NEW.holder, '') <> COALESCE(OLD.holder, '') AND NEW.epoch = OLD.epoch`,
    shows: 'OLD.id',
  },
  'a call was begun of a run that was cancelled before': {
    at: 'INSERT ON entries',
    when: `${isBegun} AND EXISTS (SELECT 1 FROM runs WHERE 'journal:' || id = NEW.log AND cancel IS NOT NULL)`,
    shows: 'NEW.log',
  },
  'a call was begun of a task that was over before': {
    at: 'INSERT ON entries',
    when: `${isBegun} AND EXISTS (SELECT 1 FROM tasks WHERE 'journal:task:' || id = NEW.log AND state IN ${over})`,
    shows: 'NEW.log',
  },
  'a call was begun of a run that nobody holds': {
    at: 'INSERT ON entries',
    when: `${isBegun} AND NOT EXISTS (SELECT 1 FROM runs WHERE 'journal:' || id = NEW.log AND status = 'running')`,
    shows: 'NEW.log',
  },
  'a request to another agent was given up': {
    at: 'UPDATE ON outbox',
    when: 'NEW.dead > 0 AND OLD.dead = 0',
    shows: `OLD.id || ' ' || OLD.tries`,
  },
  'a session handed its places out again': {
    at: 'UPDATE ON sessions',
    when: 'NEW.places < OLD.places AND NEW.generation = OLD.generation',
    shows: 'OLD.name',
  },
}

/** The statements that make the triggers, in tables of this connection only. */
export const guardStatements: readonly string[] = [
  'CREATE TEMP TABLE broken (says TEXT NOT NULL, what TEXT NOT NULL)',
  ...Object.entries(guards).map(
    ([says, { at, when, shows }], index) =>
      `CREATE TEMP TRIGGER guard${index} AFTER ${at.replace(' ON ', ' ON main.')} WHEN ${when}
        BEGIN INSERT INTO broken VALUES ('${says}', ${shows}); END`,
  ),
]
