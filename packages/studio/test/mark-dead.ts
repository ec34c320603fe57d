import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** No system has a process with this id. */
const noProcess = 2 ** 31 - 2

/** Makes every process that uses the file of a studio look as if it had been killed. */
export function markDead(path: string): void {
  if (!existsSync(path)) return
  const database = new DatabaseSync(path)
  database.prepare('UPDATE processes SET pid = ?').run(noProcess)
  database.close()
}
