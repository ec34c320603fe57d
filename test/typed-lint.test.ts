import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './support/repository.js'

/** For rules of others, code of the sources that breaks one each. */
const planted = {
  'await-thenable': 'export const awaited = async (): Promise<number> => await 1',
  'no-base-to-string': 'export const shown = (value: object): string => String(value)',
  'consistent-type-imports':
    "import { Readable } from 'node:stream'\nexport const take = (from: Readable): Readable => from",
  'no-control-regex': 'export const control = /\\u0000/',
  'no-explicit-any': 'export const give = (value: any): unknown => value',
  'no-non-null-assertion': 'export const first = (list: string[]): string => list[0]!',
  'no-unused-vars': 'const unused = 1',
  'no-useless-assignment':
    'export function last(): number {\n  let at = 1\n  at = 2\n  return at\n}',
  'prefer-const': 'let fixed = 1\nexport const seen = fixed',
  'no-deprecated': '/** @deprecated */ const old = 1\nexport const next = old',
  'no-floating-promises': 'declare const start: () => Promise<void>\nstart()',
  'no-misused-promises': 'declare const ready: Promise<boolean>\nif (ready) throw new Error()',
  'no-unnecessary-condition': 'export const never = (text: string): string => text ?? ""',
  'no-unnecessary-type-assertion':
    'declare const known: string\nexport const same = known as string',
  'no-unsafe-argument': 'declare const any: any\nexport const size = Number.parseInt(any)',
  'no-unsafe-assignment': 'export const parsed: { a: string } = JSON.parse("{}")',
  'no-unsafe-call': 'declare const called: any\ncalled()',
  'no-unsafe-enum-comparison':
    'enum Color { Red = 1 }\nexport const isRed = (color: Color): boolean => color === 1',
  'no-unsafe-member-access': 'declare const record: any\nrecord.field.other',
  'no-unsafe-return': 'export const read = (): string => JSON.parse("1")',
  'only-throw-error': 'export const fail = (): never => {\n  throw "text"\n}',
  'prefer-optional-chain':
    'declare const at: { x?: { y: number } } | undefined\nexport const y = at && at.x && at.x.y',
  'require-await': 'export const one = async (): Promise<number> => {\n  return 1\n}',
  'restrict-template-expressions':
    'export const text = (value: object): string => `${value as unknown as never[]}`',
  'return-await':
    'declare const go: () => Promise<void>\nexport const gone = async (): Promise<void> => {\n  try {\n    return go()\n  } catch {\n    return undefined\n  }\n}',
  'switch-exhaustiveness-check':
    "declare const kind: 'a' | 'b'\nswitch (kind) {\n  case 'a':\n    break\n}",
  'unbound-method':
    'declare class Counter {\n  next(): number\n}\nexport const next = (counter: Counter): (() => number) => counter.next',
}

test('lint finds each rule of others broken in a file that breaks it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'modelport-typed-lint-'))

  try {
    for (const [rule, code] of Object.entries(planted))
      writeFileSync(join(folder, `${rule}.ts`), `${code}\nexport {}\n`)
    const compilerOptions = { strict: true, module: 'nodenext', target: 'es2022', types: [] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))

    const { stdout } = spawnSync(
      process.execPath,
      [
        join(root, 'node_modules/oxlint/bin/oxlint'),
        '--config',
        join(root, '.oxlintrc.json'),
        '--format',
        'json',
        folder,
      ],
      { cwd: root, encoding: 'utf8' },
    )
    const { diagnostics } = JSON.parse(stdout) as {
      diagnostics: { code: string; filename: string }[]
    }
    const broken = diagnostics.map(
      ({ code, filename }) => `${filename.split('/').at(-1)!}: ${code.replace(/^.*\(|\)$/g, '')}`,
    )
    expect(broken).toEqual(
      expect.arrayContaining(Object.keys(planted).map((rule) => `${rule}.ts: ${rule}`)),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the lockfile has the checksum of the hooks of pnpm, so a frozen install accepts it', () => {
  const hooks = readFileSync(join(root, '.pnpmfile.cjs'))
  const lockfile = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')
  const checksum = `sha256-${createHash('sha256').update(hooks).digest('base64')}`

  expect(/^pnpmfileChecksum: (.*)$/m.exec(lockfile)?.[1]).toBe(checksum)
})
