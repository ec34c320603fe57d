import { spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { fetchProgram, findProgram } from './program.js'

/**
 * Path of sandbox-runtime's command, to be run by Node; it need not be able to run anything here.
 */
export function fetchSandboxRuntime(): string | undefined {
  const command = fetchProgram('srt', 'command -v srt')
  return command && realpathSync(command)
}

/** The same, where it can run programs; else the reason is printed. */
export function findSandboxRuntime(): string | undefined {
  const srt = fetchSandboxRuntime()
  const needed =
    srt === undefined
      ? []
      : [
          findProgram('bwrap', ['--version']),
          findProgram('socat', ['-V']),
          findProgram('rg', ['--version']),
        ]
  if (srt === undefined || needed.includes(undefined)) return undefined
  const { status, stderr } = spawnSync(process.execPath, [srt, '-c', 'true'], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  if (status === 0) return srt
  console.log(`skipped: sandbox-runtime cannot run here: ${stderr.trim().split('\n').at(-1) ?? ''}`)
  return undefined
}
