import type { Transport } from '@modelcontextprotocol/client'
import { mostBytes } from './guarded-fetch.js'
import { LineBuffer } from './line-buffer.js'
import type { McpCommand } from './settings.js'

/** What a session learns of its child process. */
interface ProcessCallbacks {
  /** Makes the error of a message that is too long, and ends the session. */
  readonly refuse: () => Error
  /** Called with the size of each chunk of its output. */
  readonly onBytes: (count: number) => void
  /** Called with what it writes to its error output, which says why it did not start. */
  readonly onWords: (words: string) => void
}

/** The transport to a server in a child process, which the session starts. */
export async function startProcess(
  { command, args = [], env, cwd }: McpCommand,
  { refuse, onBytes, onWords }: ProcessCallbacks,
): Promise<Transport> {
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
  /**
   * Given its own class, the client would start each server twice, once to ask for its versions
   * only.
   */
  class ChildProcess extends StdioClientTransport {}
  const created = new ChildProcess({
    command,
    args: [...args],
    ...(env && { env: { ...env } }),
    ...(cwd !== undefined && { cwd }),
    stderr: 'pipe',
  })
  const errors = created.stderr as Listenable | null
  errors?.on('data', (chunk) => {
    onWords(String(chunk))
  })
  // The transport does not report why it stops reading, and ends the session only with the process.
  return Object.assign(created, { _readBuffer: new LineBuffer(mostBytes, refuse, onBytes) })
}

/** The one thing needed of a platform's stream. */
interface Listenable {
  on(event: 'data', listener: (chunk: unknown) => void): unknown
}
