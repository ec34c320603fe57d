import { existsSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.env['MODELPORT_SUITES']

/**
 * Path of a public test suite that no package of the registry has, in the folder that
 * MODELPORT_SUITES names; undefined, with the reason printed, if it is not there. See
 * docs/testing.md.
 * @example const suite = suitePath('json-schema');
 * describe.skipIf(!suite)('JSON-Schema-Test-Suite', …)
 */
export function suitePath(name: string): string | undefined {
  if (folder && existsSync(join(folder, name))) return join(folder, name)
  console.log(`skipped: the public suite ${name} is not in the folder that MODELPORT_SUITES names`)
  return undefined
}
