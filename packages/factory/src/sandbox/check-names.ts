import { configError } from '@modelport/core'
import type { HostEntry } from '../base/host-entry.js'

const octet = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)'
const ipv4 = new RegExp(`^${octet}(?:\\.${octet}){3}$`)
const ipv6 = /^\[[\da-f:]+(?:\.\d{1,3}){0,3}\]$/i
/**
 * A label may hold an underscore, as in names of Docker's services. Without an empty one: Squid
 * reads `.com` as every host of `.com`.
 */
const name =
  /^(?=.{1,253}$)[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?(?:\.[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?)*$/i

type Form =
  | 'an address or the name of a host'
  | 'the name of a variable'
  | 'a name of letters, digits, "-", "_" and "."'
  | 'a label: letters, digits, "-", "_", "." and "/"'
  | 'a path without control characters that does not begin with "-"'

const forms: Readonly<Record<Form, Pick<RegExp, 'test'>>> = {
  'an address or the name of a host': { test: (text) => isHost(text) },
  'the name of a variable': /^[A-Za-z_]\w*$/,
  'a name of letters, digits, "-", "_" and "."': /^[A-Za-z\d_][\w.-]{0,252}$/,
  'a label: letters, digits, "-", "_", "." and "/"': /^[A-Za-z\d](?:[\w./-]{0,250}[A-Za-z\d])?$/,
  'a path without control characters that does not begin with "-"': /^[^-\p{Cc}][^\p{Cc}]*$/u,
}

const isHost = (host: string): boolean =>
  host.startsWith('[') ? isIpv6(host) : /^[\d.]+$/.test(host) ? ipv4.test(host) : name.test(host)

const isIpv6 = (host: string): boolean => ipv6.test(host) && URL.canParse(`http://${host}/`)

/**
 * Holds what goes into a file or a command to its form: nothing else is quoted there.
 * @throws {LlmError} `config` — names the text, the sandbox and what was expected.
 */
export function checkNames(target: string, form: Form, names: readonly string[]): void {
  const wrong = names.find((one) => !forms[form].test(one))
  if (wrong !== undefined)
    throw configError(`${target}: ${JSON.stringify(wrong)} is not ${form}; nothing was written`)
}

/** @throws {LlmError} `config` — names the host and the sandbox. */
export function checkHosts(target: string, hosts: readonly HostEntry[]): void {
  checkNames(
    target,
    'an address or the name of a host',
    hosts.map(({ host }) => host),
  )
  for (const { host, port, scheme } of hosts)
    if (!Number.isInteger(port) || port < 1 || port > 65_535 || !['http', 'https'].includes(scheme))
      throw configError(
        `${target}: "${host}" has the port ${port} and the scheme "${scheme}"; nothing was written`,
      )
}

/** Quotes an argument of a shell command, unless it is plain. */
export const quote = (text: string): string =>
  /^[\w./:=,@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
