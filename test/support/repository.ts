import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from '../../scripts/workspaces.ts'

export { root }

/** Text of a file of the repository. */
export const readText = (path: string): string => readFileSync(join(root, path), 'utf8')

/** A JSON file of the repository. */
export const readJson = (path: string): any => JSON.parse(readText(path)) // oxlint-disable-line typescript/no-explicit-any -- JSON

const unversioned = /(?:^|\/)(?:node_modules|dist|coverage|\.turbo|\.git)(?:\/|$)/

const onDisk = () =>
  readdirSync(root, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !unversioned.test(path))

const inGit = () =>
  execFileSync('git', ['ls-files', '-z'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
    .split('\0')
    .filter((path) => path !== '' && existsSync(join(root, path)))

/** Paths of all files under version control; without git, of all that are not made by a command. */
export function repositoryFiles(): string[] {
  try {
    return inGit()
  } catch {
    return onDisk()
  }
}
