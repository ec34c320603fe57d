// What a user's compiler does for one program, an inbox with three tools, by library:
// `node src/compile.ts FOLDER`, where FOLDER has the packages of the three, and the built ones of
// modelport, in node_modules. The programs are `compile/*.txt`, which nothing here compiles.
// Instantiations and types are the same on every machine.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new TypeError('name the folder in which the packages are installed')

const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc')
const here = join(resolve(folder), 'compile')
mkdirSync(here, { recursive: true })
writeFileSync(join(here, 'package.json'), '{ "type": "module" }\n')

/** The settings of `tsc --init`, as far as they matter here. */
const compilerOptions = {
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  module: 'nodenext',
  target: 'es2023',
  lib: ['es2023', 'dom'],
  types: ['node'],
}

const figures = ['Files', 'Types', 'Instantiations', 'Memory used'] as const

for (const library of ['modelport', 'ai-sdk', 'langchain']) {
  copyFileSync(new URL(`compile/${library}.txt`, import.meta.url), join(here, `${library}.ts`))
  const project = join(here, `${library}.json`)
  writeFileSync(project, JSON.stringify({ compilerOptions, files: [`${library}.ts`] }))

  const { status, stdout } = spawnSync(
    process.execPath,
    [compiler, '--project', project, '--extendedDiagnostics'],
    { encoding: 'utf8' },
  )
  const line = figures.map((name) => {
    const [, value = '?'] = new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(stdout) ?? []
    return `${name} ${value}`
  })
  console.log(`${library}: ${line.join(', ')}`)
  if (status === 0) continue

  console.log(
    stdout
      .split('\n')
      .filter((text) => text.includes('error'))
      .join('\n'),
  )
  process.exitCode = 1
}
