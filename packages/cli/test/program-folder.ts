// Global set-up of the project `cli`: where its files put the command line that they run, until the
// last of them has ended.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    readonly cliFolder: string
  }
}

export default function setUp(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'modelport-cli-'))
  project.provide('cliFolder', folder)
  return () => {
    rmSync(folder, { recursive: true, force: true })
  }
}
