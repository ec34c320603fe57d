// Does what a page says, from top to bottom: installs, saves each program, runs it, and compares what it prints.
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { docBlocks } from '../../test/support/doc-blocks.ts'
import { isPrinted } from '../../test/support/printed-text.ts'
import { readText } from '../../test/support/repository.ts'
import { Mishap } from './visitor.mjs'

/** Compares an output with what a page shows. */
export function compare(command, printed, expected) {
  if (!isPrinted(expected, printed)) throw new Mishap(command, printed, expected)
}

/** The commands of a page for its reader: `npm install` lines, in blocks and indented. */
export const installsOf = (page) => readText(page).match(/(?<=^(?: {4})?)npm install .*/gm) ?? []

/** @returns how many commands and programs there were */
export async function walkPage(page, { visitor, model, address }) {
  const installs = installsOf(page)
  for (const command of installs) await visitor.run(command)
  let programs = 0
  for (const block of docBlocks(page).filter(({ runs }) => runs)) {
    const name = block.name.replace(/^block-(\d+)\.ts$/, 'program-$1.mts')
    writeFileSync(join(visitor.folder, name), block.code.replaceAll('http://127.0.0.1:8080/v1', address))
    model.script(block.replies)
    const { output } = await visitor.run(`node ${name}`)
    compare(`node ${name}    # ${page}:${block.line}`, output, block.prints ?? '')
    programs++
  }
  return `${installs.length} commands, ${programs} programs print what the page says`
}

/** Saves the programs of a page, under their names. */
export function savePrograms(page, visitor, change = (code) => code) {
  for (const { name, code } of docBlocks(page)) {
    const file = join(visitor.folder, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, change(code))
  }
}

/** Runs the examples of the repository as their pages say, with the built packages. */
export async function runExamples(root) {
  const pages = readdirSync(join(root, 'examples')).map((name) => `examples/${name}/README.md`)
  const shown = pages.flatMap((page) => {
    const [, command, prints] =
      /^ {4}(node \S+\.ts)[^\n]*\n(?: {4}.*\n)*\n```text\n([^]*?)^```$/m.exec(readText(page)) ?? []
    return command ? [{ page, command, prints }] : []
  })
  for (const { page, command, prints } of shown) {
    const [program, ...args] = command.split(' ')
    const { stdout, stderr } = await promisify(execFile)(program, args, { cwd: join(root, dirname(page)) }).catch(
      (error) => error,
    )
    compare(`${command}    # ${page}`, `${stdout}${stderr}`, prints)
  }
  return `${shown.length} examples print what their pages say`
}
