// Whether the files that evidence/compare-cells.md names have the texts that it quotes:
// `node src/compare-cells.ts FOLDER`, where FOLDER has the packages in node_modules.
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const page = new URL('../../evidence/compare-cells.md', import.meta.url)
const [folder] = process.argv.slice(2)
if (folder === undefined) throw new TypeError('name the folder in which the packages are installed')

/** A file of a package, and the text that it has to have. */
const quote = /^\| (.+?) \| (.+?) \| (@?[\w/.-]+): (\S+) \| `(.+)` \|$/

let found = 0
for (const line of readFileSync(page, 'utf8').split('\n')) {
  const [, row, library, name = '', file = '', text = ''] = quote.exec(line) ?? []
  if (row === undefined) continue

  const path = join(resolve(folder), 'node_modules', name, file)
  const isThere = existsSync(path)
  if (isThere && readFileSync(path, 'utf8').toLowerCase().includes(text.toLowerCase())) {
    found++
    continue
  }
  const problem = isThere ? `has no ${JSON.stringify(text)}` : 'is not there'
  console.log(`FAILED ${row}, ${library}: ${name}/${file} ${problem}`)
  process.exitCode = 1
}
console.log(`${found} quotes found`)
if (found === 0) process.exitCode = 1
