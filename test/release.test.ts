// What a release with provenance needs: the workflow's rights, the flag, and manifests that name
// the repository the workflow runs in.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { publishedPackages } from '../scripts/workspaces.ts'
import { readJson, readText, root } from './support/repository.js'
import { withoutLayout } from './support/same-code.js'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, string>>
}
interface Job {
  readonly needs?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
}
interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}
const workflow = (name: string): Workflow =>
  parse(readText(`.github/workflows/${name}.yml`)) as Workflow
const scripts = readJson('package.json').scripts as Record<string, string>

describe('the release', () => {
  const { permissions, jobs } = workflow('release')
  const { check, release } = jobs
  const runsOf = (job: Job | undefined): string[] =>
    job?.steps.flatMap(({ run, with: settings }) => run ?? settings?.['publish-script'] ?? []) ?? []

  test('the release may sign in as this workflow, and no other job may anything but read', () => {
    expect(permissions).toEqual({})
    expect(release?.permissions).toEqual({
      contents: 'write',
      'pull-requests': 'write',
      'id-token': 'write',
    })
    expect(Object.keys(jobs)).toEqual(['check', 'release'])
    expect(check?.permissions).toEqual({ contents: 'read' })
  })

  test('the release waits for the full check, which cannot publish, and needs no stored token', () => {
    expect(runsOf(check)).toEqual(['./.ci/run'])
    expect(release?.needs).toBe('check')
    expect(runsOf(release)[0]).toBe('node scripts/run.mjs release:publish')
    expect(runsOf(release)[1]).toMatch(/^node scripts\/run\.mjs release:sbom\ngh release upload /)
    expect(readText('.github/workflows/release.yml')).not.toContain('NPM_TOKEN')
  })

  test('the action is the one of the installed major version of Changesets', () => {
    const action = /changesets\/action@\S+ # v(\d+)\./.exec(
      readText('.github/workflows/release.yml'),
    )?.[1]
    // Version 2 of the action reads what version 3 of the command writes, and so on.
    expect(Number(action)).toBe(
      Number.parseInt(String(readJson('package.json').devDependencies['@changesets/cli']), 10) - 1,
    )
  })

  test('the release publishes with provenance, as the dry run does', () => {
    expect(scripts['release:publish']).toContain('publish --provenance --access public')
    expect(withoutLayout(readText('scripts/release-dry.mjs'))).toContain(
      "'--provenance','--access','public'",
    )
    for (const { manifest } of publishedPackages())
      expect(manifest['repository']).toMatchObject({
        url: 'git+https://github.com/modelport/modelport.git',
      })
  })
})

describe('the first version', () => {
  const packages = publishedPackages()

  test('no package has a script that npm runs when it is installed', () => {
    const names = ['preinstall', 'install', 'postinstall', 'prepare']
    const scripts = packages.flatMap(({ manifest }) => Object.keys(manifest['scripts'] ?? {}))
    expect(scripts.filter((name) => names.includes(name))).toEqual([])
  })

  test('the changelog for users has a section for each package, and each package has a changelog of its own', () => {
    const released = packages.filter(({ path }) => existsSync(join(root, path, 'CHANGELOG.md')))
    const sections = [...readText('CHANGELOG.md').matchAll(/^#### (\S+)$/gm)].map(
      ([, name]) => name,
    )
    expect(sections.sort()).toEqual(released.map(({ shortName }) => shortName).sort())
    for (const { path, manifest } of released)
      expect(readText(`${path}/CHANGELOG.md`)).toContain(`## ${String(manifest['version'])}\n`)
  })

  test('a package without a changelog is new, and has a changeset', () => {
    const changesets = readdirSync(join(root, '.changeset')).map((name) =>
      readText(`.changeset/${name}`),
    )
    const isNamed = (name: string): boolean => changesets.some((text) => text.includes(name))
    expect(
      packages.filter(
        ({ path, manifest }) =>
          !existsSync(join(root, path, 'CHANGELOG.md')) && !isNamed(manifest.name),
      ),
    ).toEqual([])
  })
})

test('a pull request is checked by the full check alone, with no rights but to read', () => {
  const { permissions, jobs } = workflow('ci')
  expect(permissions).toEqual({ contents: 'read' })
  expect(Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))).toEqual(
    ['./.ci/run'],
  )
})

test('actions are pinned to commits, and keep no credentials where they check out', () => {
  const steps = ['ci', 'release']
    .flatMap((name) => Object.values(workflow(name).jobs).flatMap((job) => job.steps))
    .filter(({ uses }) => uses)
  expect(
    steps
      .map(({ uses }) => uses)
      .filter((uses) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(uses ?? '')),
  ).toEqual([])
  expect(
    steps
      .filter((step) => step.uses?.startsWith('actions/checkout@'))
      .map((step) => step.with?.['persist-credentials']),
  ).toEqual([false, false, false])
})
