// Checks the specification of the durable protocol with spin, and that spin finds the mistakes that
// the protocol is there to prevent.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './workspaces.ts'

const source = readFileSync(join(root, 'packages/durable/spec/protocol.pml'), 'utf8')
const models = [
  { name: 'the protocol', errors: 0, text: source },
  {
    name: 'without the look at the lease right before the effect',
    errors: 1,
    text: source.replace('held && epoch == mine -> effects++', 'true -> effects++'),
  },
  {
    name: 'with a repeated call in place of an uncertain outcome',
    errors: 1,
    text: source
      .replace('!receipt && intent -> checks++', 'false -> checks++')
      .replace(
        '!receipt && !intent && DECIDED && mail != HAPPENED',
        '!receipt && DECIDED && mail != HAPPENED',
      ),
  },
  {
    name: 'with decisions that are not bound to a checkpoint, and used up after it',
    errors: 1,
    text: source
      .replace('(mail != 0 && about == checks)', '(mail != 0)')
      .replace('intent = false; mail = 0 }', 'intent = false }')
      .replace('ISMINE -> held = false :: else', 'ISMINE -> held = false; mail = 0 :: else'),
  },
  {
    name: 'with a message that is not stored as read',
    errors: 1,
    text: source.replace('read = true; held = false', 'held = false'),
  },
]

for (const [command, flag] of [
  ['spin', '-V'],
  ['cc', '--version'],
] as const)
  if (spawnSync(command, [flag], { stdio: 'ignore' }).status !== 0) {
    console.log(`skipped: ${command} is not installed`)
    process.exit(0)
  }

const folder = mkdtempSync(join(tmpdir(), 'modelport-spec-'))
let failed = 0
try {
  for (const { name, errors, text } of models) {
    if (errors > 0 && text === source)
      throw new Error(`the change "${name}" does not apply to the specification any more`)
    writeFileSync(join(folder, 'model.pml'), text)
    execFileSync('spin', ['-a', 'model.pml'], { cwd: folder })
    execFileSync('cc', ['-O0', '-DSAFETY', '-w', '-o', 'pan', 'pan.c'], { cwd: folder })
    const output = execFileSync('./pan', ['-m100000'], { cwd: folder, encoding: 'utf8' })
    const found = Number(/errors: (\d+)/.exec(output)?.[1])
    const states = /(\d+) states, stored/.exec(output)?.[1]
    const isRight = found === errors
    if (!isRight) failed++
    console.log(
      `${isRight ? 'passed' : 'FAILED'}  ${name}: ${found} errors in ${states} states, expected ${errors}`,
    )
  }
} finally {
  rmSync(folder, { recursive: true })
}
process.exitCode = failed > 0 ? 1 : 0
