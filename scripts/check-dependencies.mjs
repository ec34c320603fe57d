// What a user of our packages gets with them: the licence of each is on the list, and none has a
// known hole.
import { execFileSync } from 'node:child_process'
import satisfies from 'spdx-satisfies'

/**
 * Licences under which anyone may use, change and sell: nothing is asked but to name the author.
 */
const allowed = [
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
  'CC0-1.0',
]

const pnpm = (...args) => {
  try {
    return JSON.parse(
      execFileSync('pnpm', args, {
        encoding: 'utf8',
        maxBuffer: 1 << 26,
        stdio: ['ignore', 'pipe', 'ignore'],
        env: { ...process.env, NPM_CONFIG_FETCH_RETRIES: '0' },
        shell: process.platform === 'win32',
      }),
    )
  } catch (error) {
    if (!error.stdout) throw error
    return JSON.parse(error.stdout) // `pnpm audit` fails when it finds something
  }
}

const isAllowed = (licence) => {
  try {
    return satisfies(licence, allowed)
  } catch {
    return false // no SPDX expression
  }
}

function checkLicences() {
  const found = Object.values(
    pnpm('--filter', './packages/*', 'licenses', 'list', '--prod', '--json'),
  ).flat()
  const refused = found.filter(({ license }) => !isAllowed(license))
  for (const { name, versions, license } of refused)
    console.log(
      `FAILED ${name}@${versions.join(', ')}: ${license} is not on the list of scripts/check-dependencies.mjs`,
    )
  console.log(
    `licences: ${found.length - refused.length} of ${found.length} dependencies are under ${allowed.join(', ')}`,
  )
  return found.length > 0 && refused.length === 0
}

function checkAdvisories() {
  const { error, advisories, metadata } = pnpm('audit', '--prod', '--json')
  if (error) {
    console.log(
      `skipped: no audit, this registry has no endpoint for it, or there is no network (${error.code})`,
    )
    return true
  }
  for (const {
    module_name: name,
    vulnerable_versions: versions,
    severity,
    title,
    url,
  } of Object.values(advisories))
    console.log(`FAILED ${name}@${versions}: ${severity}: ${title} ${url}`)
  console.log(
    `audit: ${Object.keys(advisories).length} advisories for ${metadata.totalDependencies} dependencies`,
  )
  return Object.keys(advisories).length === 0
}

const results = [checkLicences(), checkAdvisories()]
process.exitCode = results.every(Boolean) ? 0 : 1
