// What a release with provenance needs: the workflow's rights, the flag, and manifests that name the repository the workflow runs in.
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { publishedPackages } from '../scripts/workspaces.mjs'
import { readJson, readText } from './support/repository.js'

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, { readonly permissions?: Readonly<Record<string, string>>; readonly steps: readonly { readonly run?: string; readonly with?: Readonly<Record<string, string>> }[] }>>
}
const workflow = (name: string): Workflow => parse(readText(`.github/workflows/${name}.yml`)) as Workflow
const scripts = readJson('package.json').scripts as Record<string, string>

describe('the release', () => {
  const { permissions, jobs: { release } } = workflow('release')

  test('may sign in as this workflow, and no other job may anything', () => {
    expect(permissions).toEqual({})
    expect(release?.permissions?.['id-token']).toBe('write')
  })

  test('passes the full check before it publishes, and needs no stored token', () => {
    const runs = release?.steps.map(({ run, with: settings }) => run ?? settings?.['publish'] ?? '') ?? []
    expect(runs.indexOf('./.ci/run')).toBeGreaterThan(0)
    expect(runs.indexOf('node scripts/run.mjs release:publish')).toBeGreaterThan(runs.indexOf('./.ci/run'))
    expect(readText('.github/workflows/release.yml')).not.toContain('NPM_TOKEN')
  })

  test('publishes with provenance, as the dry run does', () => {
    expect(scripts['release:publish']).toContain('publish --provenance --access public')
    expect(readText('scripts/release-dry.mjs')).toContain("'--provenance', '--access', 'public'")
    for (const { manifest } of publishedPackages()) expect(manifest['repository']).toMatchObject({ url: 'git+https://github.com/modelport/modelport.git' })
  })
})

test('a pull request is checked by the full check alone, with no rights but to read', () => {
  const { permissions, jobs } = workflow('ci')
  expect(permissions).toEqual({ contents: 'read' })
  expect(Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))).toEqual(['./.ci/run'])
})
