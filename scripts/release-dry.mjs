// The release as it would happen now, published nowhere: in a copy of the repository the changesets
// are applied, then every public package is packed and published with `--dry-run`. One line per
// promise. Needs `pnpm run build`; `--quick` builds two packages a second time, not all.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { compareTarballs } from './same-tarballs.mjs'
import { writeSboms } from './sbom.mjs'
import { publishedPackages, requireBuild, root } from './workspaces.ts'

const published = publishedPackages()
requireBuild(published)
const isQuick = process.argv.includes('--quick')
/** Enough of each kind: a library, and the package that builds a page. */
const quick = ['@modelport/core', '@modelport/studio']
const temporary = mkdtempSync(join(tmpdir(), 'modelport-release-'))
const copy = join(temporary, 'copy')
const second = join(temporary, 'a-second-copy-elsewhere')
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
    maxBuffer: 1 << 28,
    timeout: 1_200_000,
  })
  if (error || status !== 0)
    throw new Error(
      `${command} ${args.join(' ')}: ${error?.message ?? `exit ${status}`}\n${stdout}\n${stderr}`,
    )
  return stdout
}

/** The files under version control, and what the build and the install left next to them. */
function copyRepository(folder) {
  const files = execFileSync('git', ['ls-files', '-z'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
    .split('\0')
    .filter((file) => file && existsSync(join(root, file)))
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(root, file), join(folder, file))
  }
  for (const { path } of published) {
    // The links of a package lead to its neighbours in the copy.
    for (const name of ['dist', 'node_modules']) {
      if (existsSync(join(root, path, name)))
        cpSync(join(root, path, name), join(folder, path, name), {
          recursive: true,
          verbatimSymlinks: true,
        })
    }
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir')
  run('git', ['init', '--quiet', '--initial-branch=main'], folder)
  run(
    'git',
    ['add', '--all', '--force', 'packages/*/package.json', '.changeset', 'CHANGELOG.md'],
    folder,
  )
  run(
    'git',
    [
      '-c',
      'user.name=release',
      '-c',
      'user.email=release@localhost',
      'commit',
      '--quiet',
      '--message=now',
    ],
    folder,
  )
  // A version without a tag is not released yet.
  const tags = execFileSync('git', ['tag', '--list', '@modelport/*'], {
    cwd: root,
    encoding: 'utf8',
  })
  for (const tag of tags.split('\n').filter(Boolean)) run('git', ['tag', tag], folder)
  run('node', ['scripts/version.mjs'], folder)
}

const readCopy = (path) => readFileSync(join(copy, path), 'utf8')
const manifestOf = ({ path }) => JSON.parse(readCopy(`${path}/package.json`))

function checkVersions() {
  // Without their script `prepack`, which takes two seconds for each: it runs where tarballs are
  // compared.
  run('pnpm', [
    '-r',
    'publish',
    '--dry-run',
    '--provenance',
    '--access',
    'public',
    '--no-git-checks',
    '--ignore-scripts',
    '--report-summary',
    '--registry',
    nowhere,
  ])
  const { publishedPackages } = JSON.parse(readCopy('pnpm-publish-summary.json'))
  const versions = published.map((workspace) => {
    const { version } = manifestOf(workspace)
    const isPublished = publishedPackages.some(
      (entry) => entry.name === workspace.name && entry.version === version,
    )
    return isPublished && version !== '0.0.0' ? `${workspace.shortName} ${version}` : undefined
  })
  check(
    versions.every(Boolean) && publishedPackages.length === published.length,
    `versions: ${versions.map((text, index) => text ?? `${published[index].shortName} IS NOT PUBLISHED`).join(', ')}`,
  )
}

/**
 * Each package's own changelog has its version, and the one for users has the first version of each
 * package.
 */
function checkChangelogs() {
  const users = readCopy('CHANGELOG.md')
  const missing = published.filter(
    (workspace) =>
      !existsSync(join(copy, workspace.path, 'CHANGELOG.md')) ||
      !readCopy(`${workspace.path}/CHANGELOG.md`).includes(`## ${manifestOf(workspace).version}`) ||
      !users.includes(`#### ${workspace.shortName}\n`),
  )
  check(
    missing.length === 0,
    `changelogs: ${namesOr(missing, 'CHANGELOG.md for users, and one for each package')}`,
  )
}

function checkTiers() {
  const rows = [
    ...readCopy('docs/semver.md').matchAll(/^\| (stable|settling|young) \| ([^|]+) \|/gm),
  ]
  const tierOf = (name) =>
    rows.find(([, , list]) =>
      [...list.matchAll(/`([^`]+)`/g)].some(
        ([, entry]) => entry === name || (entry === 'provider-*' && name.startsWith('provider-')),
      ),
    )?.[1]
  const wrong = published.filter(
    ({ path, shortName }) =>
      !readCopy(`${path}/README.md`)
        .toLowerCase()
        .includes(`**${tierOf(shortName)}.**`),
  )
  check(wrong.length === 0, `tiers: ${namesOr(wrong, 'each README has the one of docs/semver.md')}`)
}

function checkInstallScripts() {
  const names = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare']
  const wrong = published.filter((workspace) =>
    names.some((name) => manifestOf(workspace).scripts?.[name]),
  )
  check(wrong.length === 0, `install scripts: ${namesOr(wrong, 'none of ours')}`)
}

/** The statement is refused where the repository is not the one that the workflow runs in. */
function checkProvenance() {
  const wrong = published.filter((workspace) => {
    const { repository, publishConfig } = manifestOf(workspace)
    return (
      repository?.directory !== workspace.path ||
      !repository.url.endsWith('/modelport/modelport.git') ||
      publishConfig?.access !== 'public'
    )
  })
  const isSigned =
    readCopy('.github/workflows/release.yml').includes('id-token: write') &&
    readCopy('package.json').includes('publish --provenance')
  check(
    isSigned && wrong.length === 0,
    `provenance: ${namesOr(wrong, 'the workflow signs, and each manifest names its repository and folder')}`,
  )
}

async function checkSboms() {
  const { files, problems } = await writeSboms(join(temporary, 'sbom'))
  check(
    files.length === published.length && problems.length === 0,
    `SBOMs: ${problems.join('; ') || `${files.length}, CycloneDX 1.7, valid, each component with its licence`}`,
  )
}

async function checkTarballs() {
  const packages = published.filter(({ name }) => !isQuick || quick.includes(name))
  const { different, digests } = await compareTarballs({
    run,
    first: copy,
    second,
    packages,
    folder: temporary,
  })
  const [[name, digest]] = Object.entries(digests)
  check(
    different.length === 0,
    `two builds: ${different.join('; ') || `the same tarballs of ${packages.length} of ${published.length} packages (${name} ${digest.slice(0, 16)}…)`}`,
  )
}

const namesOr = (workspaces, text) =>
  workspaces.map(({ shortName }) => shortName).join(', ') || text

try {
  copyRepository(copy)
  copyRepository(second)
  for (const part of [
    checkVersions,
    checkChangelogs,
    checkTiers,
    checkInstallScripts,
    checkProvenance,
    checkSboms,
    checkTarballs,
  ])
    await Promise.try(part).catch((error) => check(false, error.message))
} catch (error) {
  check(false, error.message)
} finally {
  rmSync(temporary, { recursive: true, force: true })
}
process.exitCode = failed ? 1 : 0
