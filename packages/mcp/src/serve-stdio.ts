import process from 'node:process'
import { Writable } from 'node:stream'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

/**
 * Standard input and output as a transport. Until `restore`, whatever else is written to standard
 * output goes to standard error.
 */
export function openStdio(): { readonly transport: StdioServerTransport; restore(): void } {
  const { stdin, stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  const output = new Writable({
    write: (chunk: Uint8Array, _encoding, done) => void write(chunk, undefined, done),
  })
  stdout.write = stderr.write.bind(stderr)
  return {
    transport: new StdioServerTransport(stdin, output),
    restore: () => {
      stdout.write = write
    },
  }
}
