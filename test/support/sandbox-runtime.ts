import { spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { fetchProgram, findProgram } from './program.js'

/** Path of sandbox-runtime's command, to be run by Node; it need not be able to run anything here. */
export function fetchSandboxRuntime(): string | undefined {
  const command = fetchProgram('srt', 'command -v srt')
  return command && realpathSync(command)
}

/** The same, where it can run programs, and Node's own fetch can follow its proxy; else the reason is printed. */
export function findSandboxRuntime(): string | undefined {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 22 || (major === 22 && minor < 21) || (major === 24 && minor < 5)) {
    console.log(`skipped: the fetch of Node ${process.versions.node} follows no proxy`)
    return undefined
  }
  const srt = fetchSandboxRuntime()
  const needed = srt === undefined ? [] : [findProgram('bwrap', ['--version']), findProgram('socat', ['-V']), findProgram('rg', ['--version'])]
  if (srt === undefined || needed.includes(undefined)) return undefined
  const { status, stderr } = spawnSync(process.execPath, [srt, '-c', 'true'], { encoding: 'utf8', timeout: 30_000 })
  if (status === 0) return srt
  console.log(`skipped: sandbox-runtime cannot run here: ${stderr.trim().split('\n').at(-1) ?? ''}`)
  return undefined
}
