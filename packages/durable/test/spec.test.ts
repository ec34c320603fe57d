import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../scripts/workspaces.ts'

test('spin finds no lost and no doubled effect in the protocol, and finds both without its safeguards', {
  timeout: 240_000,
}, () => {
  const output = execFileSync(process.execPath, [join(root, 'scripts/durable-spec.ts')], {
    encoding: 'utf8',
  })
  console.log(output.trim())
  expect(output).toMatch(/^skipped: |passed {2}the protocol: 0 errors/)
})
