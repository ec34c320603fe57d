// In a process of its own: the test runner reads modules in another way than Node.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runProgram } from '../../../test/support/program.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const hooks = pathOf('../../durable/test/support/typescript-hooks.mjs')
const script = `import { loadUserModule } from ${JSON.stringify(pathOf('../src/files/user-module.ts'))}
await loadUserModule(process.argv[1], 'agents').catch((error) => console.log(error.message))`

test.each([
  [
    'throws.mjs',
    'const a = 1\n\nnull.x\n',
    ":3: the agents do not load: Cannot read properties of null (reading 'x')",
  ],
  ['types.mts', '\nconst a: number = ;\n', ':2: the agents do not load: Expression expected'],
  [
    'cut.mjs',
    'export default [ {',
    ': the agents do not load: Unexpected end of input; run: node FILE, which shows the line',
  ],
  ['', '', ': there is no such file'],
])(
  'a module of the user that does not load is named with its line, if Node says it: %j',
  async (name, code, expected) => {
    const file = join(temporaryFolder('module'), name)
    if (name) writeFileSync(file, code)
    const { stdout, stderr } = await runProgram(process.execPath, [
      '--import',
      hooks,
      '--input-type=module',
      '-e',
      script,
      file,
    ])
    expect(stdout + stderr).toBe(`${file}${expected.replace('FILE', file)}\n`)
  },
)
