// Whether two builds give the same tarballs: packages are packed as they are built here, and once
// more from a second build in another folder.
import { createHash } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex')

/**
 * @param run runs a command in a folder
 * @param first a copy of the repository with the builds of this one
 * @param second another one, whose builds of `packages` are removed and made again
 * @returns what differs, and the digest of each tarball
 */
export async function compareTarballs({ run, first, second, packages, folder }) {
  for (const { path } of packages)
    rmSync(join(second, path, 'dist'), { recursive: true, force: true })
  run('pnpm', ['-r', ...packages.flatMap(({ name }) => ['--filter', name]), 'run', 'build'], second)
  const different = []
  const digests = {}
  for (const { path, shortName } of packages) {
    const [one, other] = [first, second].map((copy, index) => {
      const file = join(folder, `${shortName}-${index}.tgz`)
      run('pnpm', ['pack', '--out', file], join(copy, path))
      return { file, digest: sha256(file) }
    })
    digests[shortName] = one.digest
    if (one.digest !== other.digest)
      different.push(`${shortName}: ${firstDifference(run, one.file, other.file)}`)
  }
  return { different, digests }
}

/** The first file that differs, or that only one of them has. */
function firstDifference(run, one, other) {
  const listing = (file) => run('tar', ['-tvzf', file]).trim().split('\n')
  const ours = listing(one)
  const theirs = listing(other)
  const line = ours.find((text, index) => text !== theirs[index])
  if (line !== undefined || ours.length !== theirs.length)
    return line ?? `${ours.length} and ${theirs.length} files`
  const names = run('tar', ['-tzf', one]).trim().split('\n')
  return (
    names.find((name) => run('tar', ['-xzOf', one, name]) !== run('tar', ['-xzOf', other, name])) ??
    'the archive'
  )
}
