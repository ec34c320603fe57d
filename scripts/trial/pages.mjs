// Does what a page says, from top to bottom: installs, saves each program, runs it, and compares
// what it prints.
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { docBlocks } from '../../test/support/doc-blocks.ts'
import { isPrinted } from '../../test/support/printed-text.ts'
import { readText } from '../../test/support/repository.ts'
import { follow } from './transcripts.mjs'
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
  for (const command of installs) await visitor.install(command)
  let programs = 0
  for (const block of docBlocks(page).filter(({ runs }) => runs)) {
    const name = block.name.replace(/^block-(\d+)\.ts$/, 'program-$1.mts')
    writeFileSync(
      join(visitor.folder, name),
      block.code.replaceAll('http://127.0.0.1:8080/v1', address),
    )
    model.script(block.replies)
    const { output } = await visitor.run(`node ${name}`)
    compare(`node ${name}    # ${page}:${block.line}`, output, block.prints ?? '')
    programs++
  }
  return `${installs.length} commands, ${programs} programs print what the page says`
}

/** The `$ ` commands of an indented block, in a page with one program, whose name is in them. */
export async function walkTranscript(page, { visitor, model, address }) {
  const [block] = docBlocks(page)
  for (const command of installsOf(page)) await visitor.install(command)
  const transcript = readText(page)
    .match(/(?:^ {4}.*\n)+/gm)
    .map((text) => text.replace(/^ {4}/gm, ''))
    .find((text) => text.startsWith('$ '))
  const [, name] = /^\$ node (\S+)/.exec(transcript)
  writeFileSync(
    join(visitor.folder, name),
    block.code.replaceAll('http://127.0.0.1:8080/v1', address),
  )
  model.script(['transfer({"to":"landlord","euros":800})', 'The rent is paid.'])
  const count = await follow(transcript, visitor)
  return `${count} commands print what the page says`
}

/**
 * The agent of YAML and a module of tools of the first guide, served and asked on the command line.
 */
export async function serveFromFile({ visitor, model, address, port }) {
  const page = 'docs/guides/first-agent.md'
  const text = readText(page).slice(readText(page).indexOf('## The same from a file'))
  const [yaml, module] = ['yaml', 'js'].map(
    (kind) => new RegExp(`^\`\`\`${kind}\\n([^]*?)^\`\`\`$`, 'm').exec(text)[1],
  )
  await visitor.run(
    `modelport init --provider openai-compatible --base-url ${address} --model my-model`,
  )
  writeFileSync(join(visitor.folder, 'weather.yaml'), yaml.replace('ollama:llama3.2', 'main'))
  writeFileSync(join(visitor.folder, 'weather-tools.mjs'), module)
  const [serve, send] = text
    .match(/(?<=^ {4})npx @modelport\/cli agent .*/gm)
    // The command line is installed from its tarball until it is on npm, where npx would look.
    .map((line) => line.replace('npx @modelport/cli', 'modelport').replaceAll('4000', port))
  model.script(['get_weather({"city":"Rome"})', 'It is 28 °C in Rome.'])
  const server = visitor.start(serve)
  await server.shows(/weather: http/)
  const { stdout } = await visitor.run(send)
  compare(send, stdout, 'It is 28 °C in Rome.')
  await server.kill()
  // A mistake in the module: the line is what the reader needs.
  writeFileSync(join(visitor.folder, 'weather-tools.mjs'), 'export default [\n  {')
  const broken = await visitor.run(serve, { fails: true })
  if (
    !/do not load: Unexpected end of input; run: node \S+weather-tools\.mjs, which shows the line/.test(
      broken.output,
    )
  )
    throw new Mishap(serve, broken.output, 'how to see the line')
  return 'served and asked, and a mistake in it is shown'
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
    const { stdout, stderr } = await promisify(execFile)(program, args, {
      cwd: join(root, dirname(page)),
    }).catch((error) => error)
    compare(`${command}    # ${page}`, `${stdout}${stderr}`, prints)
  }
  return `${shown.length} examples print what their pages say`
}
