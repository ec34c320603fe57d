import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { buildCli } from './build-cli.js'

/** Prints the files that a program loaded, one a line. */
const listing = `import { registerHooks } from 'node:module'
const loaded = []
registerHooks({ load(url, context, next) { if (url.startsWith('file:')) loaded.push(url); return next(url, context) } })
process.on('exit', () => process.stderr.write(loaded.join('\\n')))
`

let program: string
beforeAll(async () => {
  program = await buildCli()
  // The version is that of the manifest next to the program, as a release writes it.
  const manifest = join(dirname(dirname(program)), 'package.json')
  const text = readFileSync(manifest, 'utf8')
  writeFileSync(manifest, JSON.stringify({ ...(JSON.parse(text) as object), version: '12.3.4' }))
}, 240_000)

/** Runs the built program; `sources` are the source files of what it loaded. */
function start(args: readonly string[]): {
  readonly out: string
  readonly sources: readonly string[]
} {
  const folder = dirname(dirname(program))
  const hook = join(folder, 'hook.mjs')
  writeFileSync(hook, listing)
  const { outputs } = JSON.parse(readFileSync(join(folder, 'meta.json'), 'utf8')) as {
    readonly outputs: Readonly<Record<string, { readonly inputs: object }>>
  }
  const inputs = new Map(
    Object.entries(outputs).map(([path, output]) => [basename(path), Object.keys(output.inputs)]),
  )
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', hook, program, ...args], {
    encoding: 'utf8',
  })
  const files = stderr.split('\n').flatMap((url) => inputs.get(basename(url)) ?? [])
  const names = files.map((path) =>
    path
      .replace(/^.*node_modules\/((?:@[^/]+\/)?[^/]+)\/.*$/, '$1')
      .replace(/^.*packages\/(.*?)\/src\/(.*)$/, '$1: $2')
      .replace(/^cli: /, ''),
  )
  return { out: stdout, sources: [...new Set(names)].sort() }
}

/** What the program is while no command runs: the definitions of `program` and these. */
const light = [
  'commander',
  'commands/host-formats.ts',
  'context/start.ts',
  'core: check-platform.ts',
  'core: check-prices.ts',
  'core: error.ts',
  'core: limits.ts',
  'core: loopback.ts',
  'core: number-forms.ts',
  'core: option-forms.ts',
  'core: option-names.ts',
  'core: settings.ts',
  'core: suggest.ts',
  'core: unknown-values.ts',
  'doctor/doctor-step.ts',
  'errors/exit-codes.ts',
  'main.ts',
  'node-version.ts',
  'program.ts',
  'run-process.ts',
  'run.ts',
  'secrets/secret-flags.ts',
  'terminal/io.ts',
  'terminal/terminal-text.ts',
  'version.ts',
]

test.each([
  ['--version', /^12\.3\.4\n$/],
  ['--help', /^Usage: modelport /],
  ['complete --help', /^Usage: modelport complete /],
])('%s loads commander and the definitions of the options, and no command', (args, printed) => {
  const { out, sources } = start(args.split(' '))
  expect(out).toMatch(printed)
  expect(sources.filter((name) => !name.startsWith('program/'))).toEqual(light)
})
