import type { Redact } from '@modelport/core'
import type { McpTransport } from '../settings.js'

const named = /^(--?[\w-]*(?:token|key|secret|passw|auth|credential)[\w-]*)(=.*)?$/i
/** Long runs of letters and digits are keys more often than names; addresses of hosted servers have them in their paths. */
const keyLike = /(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}/g
const hidden = '[redacted]'

/** What a server is reached by, without secrets: the program and its arguments, or the origin and path of the URL. */
export function addressOf(transport: McpTransport, redact: Redact): string {
  if ('url' in transport) {
    const { origin, pathname } = new URL(transport.url)
    return redact(origin + pathname.replace(keyLike, hidden))
  }
  if (!('command' in transport)) return transport.apiHosts.join(', ') || 'in this process'
  // The same program has another folder on another machine.
  const words = [transport.command.replace(/^.*[/\\]/, '')]
  const { args = [] } = transport
  for (const [index, word] of args.entries()) {
    const isValue = named.exec(args[index - 1] ?? '')?.[2] === undefined && named.test(args[index - 1] ?? '')
    words.push(
      isValue
        ? hidden
        : word.replace(named, (_, flag: string, value: string | undefined) => (value ? `${flag}=${hidden}` : flag)),
    )
  }
  return redact(words.join(' ').replace(keyLike, hidden))
}
