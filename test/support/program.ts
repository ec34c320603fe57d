import { spawn, spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { runtimePackages } from '../../scripts/runtime-packages.ts'

/** What a program said. */
export interface ProgramOutput {
  readonly stdout: string
  readonly stderr: string
  readonly status: number | null
}

/** Runs a program to its end; it has the environment given and no other. */
export function runProgram(
  command: string,
  args: readonly string[],
  {
    input = '',
    env = {},
    cwd,
  }: { input?: string; env?: Record<string, string>; cwd?: string } = {},
): Promise<ProgramOutput> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: process.env['HOME'] ?? tmpdir(),
        NO_COLOR: '1',
        ...env,
      },
      timeout: 85_000,
      ...(cwd !== undefined && { cwd }),
    })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => (stdout += String(chunk)))
    child.stderr.on('data', (chunk) => (stderr += String(chunk)))
    child.on('error', reject)
    child.on('close', (status) => {
      resolve({ stdout, stderr, status })
    })
    // The program may end before it has read everything.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}

/**
 * The command, when the machine has it and it does what is asked of it; else the reason is printed.
 */
export function findProgram(
  command: string,
  probe: readonly string[],
  why = 'is not installed',
): string | undefined {
  const { status } = spawnSync(command, probe, { stdio: 'ignore', timeout: 60_000 })
  if (status === 0) return command
  console.log(`skipped: ${command} ${why}`)
  return undefined
}

/**
 * Path of a program that comes from npm, fetched when it is not there; else the reason is printed.
 */
export function fetchProgram(
  name: keyof typeof runtimePackages,
  print: string,
): string | undefined {
  const { status, stdout, stderr } = spawnSync(
    `npx -y --prefer-offline --fetch-retries=0 -p ${runtimePackages[name]} -c ${JSON.stringify(print)}`,
    { shell: true, encoding: 'utf8', timeout: 120_000 },
  )
  if (status === 0) return stdout.trim().split('\n').at(-1)
  console.log(
    `skipped: ${name} is not available: ${/error code \S+/.exec(stderr)?.[0] ?? stderr.trim().slice(0, 200)}`,
  )
  return undefined
}

/** Deno, of the version that the check of runtimes uses too. */
export const findDeno = (): string | undefined =>
  fetchProgram('deno', `deno eval --no-config 'console.log(Deno.execPath())'`)
