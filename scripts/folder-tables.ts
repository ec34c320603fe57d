// The tables of folders in docs/architecture.md: `node scripts/folder-tables.ts` compares them
// with `folders` of scripts/lint/boundaries.ts, `--update` writes them anew.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folders } from './lint/boundaries.ts'
import { root } from './workspaces.ts'

const page = join(root, 'docs/architecture.md')
const place = /(?<=<!-- written by scripts\/folder-tables\.ts -->\n).*?(?=<!-- end -->)/s

type Rows = readonly Readonly<Record<string, string>>[]

const tableOf = ([name, rows]: readonly [string, Rows]): string => {
  const lines = rows.map((row) => {
    const names = Object.keys(row).map((folder) => `\`${folder}\``)
    return `| ${names.join(' · ')} | ${Object.values(row).join(' · ')} |`
  })
  return [`#### \`${name}\``, '', '| folders | what they hold |', '|---|---|', ...lines, ''].join(
    '\n',
  )
}

/** The page as it is, and as it should be. */
export function folderTables(): { readonly current: string; readonly expected: string } {
  const current = readFileSync(page, 'utf8')
  return {
    current,
    expected: current.replace(
      place,
      () => `\n${Object.entries(folders).map(tableOf).join('\n')}\n`,
    ),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { current, expected } = folderTables()
  if (process.argv.includes('--update')) writeFileSync(page, expected)
  else if (current !== expected) {
    console.error('docs/architecture.md is not current: node scripts/folder-tables.ts --update')
    process.exitCode = 1
  }
}
