import type { Redact } from '@modelport/core'
import type { McpTransport } from '../settings.js'

const secretFlag = /^(--?[\w-]*(?:token|key|secret|passw|auth|credential|header)[\w-]*)(=.*)?$/i
/**
 * Long runs of letters and digits are keys more often than names; addresses of hosted servers have
 * them in their paths.
 */
const keyLike = /[A-Za-z\d]{16,}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi
const hidden = '[redacted]'
const withoutKeys = (text: string): string =>
  text.replace(keyLike, (run) => (/\d/.test(run) ? hidden : run))

/**
 * A name or command line as files and transcripts may hold it: without the values of flags for
 * secrets, queries, and what looks like a key.
 */
export const withoutSecrets = (text: string): string => {
  const words = text.split(' ').map((word, index, words) => {
    const flag = secretFlag.exec(words[index - 1] ?? '')
    if (flag && !flag[2]) return hidden
    if (URL.canParse(word) && word.includes('://')) {
      const { origin, pathname } = new URL(word)
      return origin + pathname
    }
    return word.replace(secretFlag, (_, flag: string, given?: string) =>
      given ? `${flag}=${hidden}` : flag,
    )
  })
  return withoutKeys(words.join(' '))
}

/**
 * What a server is reached by: the program, which has another folder on another machine, and its
 * arguments, or the URL.
 */
export function addressOf(transport: McpTransport, redact: Redact): string {
  if ('url' in transport) return redact(withoutSecrets(transport.url))
  if (!('command' in transport)) return transport.apiHosts.join(', ') || 'in this process'
  const program = transport.command.replace(/^.*[/\\]/, '')
  return redact(withoutSecrets([program, ...(transport.args ?? [])].join(' ')))
}
