// The release as it would happen now, without a registry: in a copy of the repository the changesets are applied, then every public
// package is packed and published with `--dry-run`. Needs `pnpm run build`.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { publishedPackages, requireBuild, root } from './workspaces.mjs'

const published = publishedPackages()
requireBuild(published)
const copy = mkdtempSync(join(tmpdir(), 'modelport-release-'))
// A registry that cannot answer: nothing is asked of a real one.
const nowhere = 'http://127.0.0.1:9/'
let failed = 0
const check = (ok, text) => {
  if (!ok) failed++
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${text}`)
}

const run = (command, args, cwd = copy) => {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, NPM_CONFIG_FETCH_RETRIES: '0' },
    encoding: 'utf8',
    shell: process.platform === 'win32',
    timeout: 120_000,
  })
  if (error || status !== 0)
    throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `exit ${status}`}\n${stdout}\n${stderr}`)
  return stdout
}

/** The files under version control, and what the build and the install left next to them. */
function copyRepository() {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 })
    .split('\0')
    .filter((file) => file && existsSync(join(root, file)))
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(root, file), join(copy, file))
  }
  for (const { path } of published) {
    // The links of a package lead to its neighbours in the copy.
    for (const folder of ['dist', 'node_modules']) {
      if (existsSync(join(root, path, folder)))
        cpSync(join(root, path, folder), join(copy, path, folder), { recursive: true, verbatimSymlinks: true })
    }
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir')
  run('git', ['init', '--quiet', '--initial-branch=main'])
  run('git', ['add', '--all', '--force', 'packages/*/package.json', '.changeset'])
  run('git', ['-c', 'user.name=release', '-c', 'user.email=release@localhost', 'commit', '--quiet', '--message=now'])
}

try {
  copyRepository()
  run('pnpm', ['exec', 'changeset', 'version'])
  run('pnpm', [
    '-r',
    'publish',
    '--dry-run',
    '--provenance',
    '--access',
    'public',
    '--no-git-checks',
    '--report-summary',
    '--registry',
    nowhere,
  ])
  const { publishedPackages } = JSON.parse(readFileSync(join(copy, 'pnpm-publish-summary.json'), 'utf8'))
  for (const { name, path } of published) {
    const { version, repository } = JSON.parse(readFileSync(join(copy, path, 'package.json'), 'utf8'))
    const released = publishedPackages.find((entry) => entry.name === name)
    // The provenance statement is refused where the repository is not the one that the workflow runs in.
    check(
      released?.version === version && version !== '0.0.0' && repository.directory === path,
      `${name} ${released?.version ?? 'is not published'}`,
    )
  }
  check(publishedPackages.length === published.length, `${publishedPackages.length} of ${published.length} packages`)
} catch (error) {
  check(false, error.message)
} finally {
  rmSync(copy, { recursive: true, force: true })
}
process.exitCode = failed ? 1 : 0
