import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished, TestRunner } from 'vitest'

/**
 * A folder that is gone after the test that asks for it, or after those of the file that does;
 * however they end. Not for hooks of a whole file.
 */
export function temporaryFolder(name: string): string {
  const path = mkdtempSync(join(tmpdir(), `modelport-${name}-`))
  const remove = (): void => {
    rmSync(path, { recursive: true, force: true })
  }
  if (TestRunner.getCurrentTest()) onTestFinished(remove)
  else afterAll(remove)
  return path
}
