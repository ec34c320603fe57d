import type { DatabaseSync } from 'node:sqlite'
import { configError } from '@modelport/core'

/** The runs of these tasks, with the runs in them, and those that continue one of them. */
export function runsOfTasks(database: DatabaseSync, tasks: readonly string[]): readonly string[] {
  const asked = new Set<unknown>(tasks)
  // All of them are in the conversation of a run that has the task.
  const links = database
    .prepare(
      `SELECT r.id, json_extract(r.run, '$.task.taskId') AS taskId, json_extract(r.run, '$.parent') AS parent,
        json_extract(r.run, '$.from.runId') AS origin
      FROM run_list AS l JOIN runs AS r ON r.id = l.run WHERE l.session IN (
        SELECT l.session FROM run_list AS l JOIN runs AS r ON r.id = l.run
        WHERE json_extract(r.run, '$.task.taskId') IN (SELECT value FROM json_each(?))
      ) ORDER BY l.key`,
    )
    .all(JSON.stringify(tasks))
  const found = new Set<unknown>()
  for (let size = -1; size < found.size; ) {
    size = found.size
    for (const { id, taskId, parent, origin } of links)
      if (asked.has(taskId) || found.has(parent) || found.has(origin)) found.add(id)
  }
  return [...found].map(String)
}

/**
 * Leaves nothing of deleted runs in the bytes of the file and its log.
 * @throws {LlmError} `config` — another process reads the file at the moment
 */
export function wipe(database: DatabaseSync): void {
  database.exec("INSERT INTO run_text (run_text) VALUES ('optimize')")
  database.exec('VACUUM')
  const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {}
  if (busy)
    throw configError(
      'the runs are deleted, but another studio reads the file, so that its log still has them; do it again, or end that studio',
    )
}
