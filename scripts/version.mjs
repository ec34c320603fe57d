// Applies the changesets: `pnpm release:version`. A package whose version has no tag is not
// released yet: its changesets describe steps to that version, which CHANGELOG.md sums up, so they
// are removed and the version stays. Once every version is tagged, Changesets does it all.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publishedPackages, root } from './workspaces.ts'

const first = '0.1.0'
const tags = new Set(
  execFileSync('git', ['tag', '--list', '@modelport/*'], { cwd: root, encoding: 'utf8' }).split(
    '\n',
  ),
)
const packages = publishedPackages()
const isReleased = packages.some(({ name, manifest }) => tags.has(`${name}@${manifest.version}`))
if (isReleased)
  execFileSync('pnpm', ['exec', 'changeset', 'version'], { cwd: root, stdio: 'inherit' })
else {
  for (const { dir, shortName } of packages) {
    const file = join(dir, 'package.json')
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(/"version": "[^"]*"/, `"version": "${first}"`),
    )
    const summary = `[What it can do](../../CHANGELOG.md#${shortName}).`
    writeFileSync(
      join(dir, 'CHANGELOG.md'),
      `# @modelport/${shortName}\n\n## ${first}\n\nThe first release. ${summary}\n`,
    )
  }
  const changesets = readdirSync(join(root, '.changeset')).filter(
    (name) => name.endsWith('.md') && name !== 'README.md',
  )
  for (const name of changesets) rmSync(join(root, '.changeset', name))
  console.log(
    `${packages.length} packages are at ${first}; ${changesets.length} changesets became part of it`,
  )
}
