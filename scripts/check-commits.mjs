// Commit subjects: `area: what changed`, at most 72 characters. Older history, before the rule, is
// not checked.
import { execFileSync } from 'node:child_process'
import { problemOf } from './commit-subject.ts'
import { root } from './workspaces.ts'

const before = 'a583f38' // the last commit before the rule
const git = (...words) =>
  execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

const known = () => {
  try {
    git('cat-file', '-e', `${before}^{commit}`)
    return true
  } catch {
    return false
  }
}

if (!known()) console.log(`skipped: this clone does not have the history since ${before}`)
else {
  const bad = git('log', '--format=%h %s', `${before}..HEAD`)
    .split('\n')
    .filter(Boolean)
    .flatMap((line) => {
      const [hash, ...words] = line.split(' ')
      const problem = problemOf(words.join(' '))
      return problem ? [`${hash} ${words.join(' ')}\n    ${problem}`] : []
    })
  for (const line of bad) console.error(line)
  if (bad.length > 0) process.exitCode = 1
  else console.log('every commit subject follows the rule')
}
