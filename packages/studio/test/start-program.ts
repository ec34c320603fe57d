import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Starts a program of `./programs/attached.ts` with the module that attaches it. */
export function startProgram(what: string, state: string, env: Record<string, string>) {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(
    process.execPath,
    [
      '--import',
      pathOf('../../../scripts/sources.mjs'),
      '--import',
      '@modelport/studio/attach',
      pathOf('./programs/attached.ts'),
      what,
    ],
    { env: { PATH, NODE_COMPILE_CACHE, HOME: state, XDG_STATE_HOME: state, ...env } },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  let stderr = ''
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  child.stderr.once('data', () => void child.stdin.end())
  const done = new Promise<{ readonly status: number | null; readonly stderr: string }>((resolve) =>
    child.on('close', (status) => resolve({ status, stderr })),
  )
  return { done }
}
