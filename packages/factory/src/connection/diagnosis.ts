import { type ErrorCode, isLlmError, type ProviderError } from '@modelport/core'
import { providerRows } from '../providers/provider-rows.js'

/** A failure in words that a person can act on. */
export interface Diagnosis {
  /** The reason why the connection does not work, for programs to act on. */
  readonly problem:
    | 'config'
    | 'dns'
    | 'refused'
    | 'tls'
    | 'interrupted'
    | 'timeout'
    | 'proxy'
    | 'redirect'
    | 'sandbox'
    | 'auth'
    | 'permission'
    | 'model'
    | 'quota'
    | 'rate-limit'
    | 'overloaded'
    | 'server'
    | 'request'
    | 'not-an-llm-server'
    | 'aborted'
    | 'unknown'
  /** What to do about it. */
  readonly fix: string
  /** `host:port` that the allow-list of a sandbox or a proxy lacks. */
  readonly missingHost?: string
}

type ConnectionProblem = Diagnosis['problem']

const fixes: Readonly<Record<ConnectionProblem, string>> = {
  config: 'Correct the configuration as the message says.',
  dns: 'The host name does not resolve: check its spelling in the base URL, and the network.',
  refused: 'Nothing listens there: start the server, or correct the port of the base URL.',
  tls: 'The secure connection failed: check http against https in the base URL, the certificate, and the clock.',
  interrupted:
    'The connection broke while the reply arrived: try again, and look at proxies in between.',
  timeout:
    'No response in time: check the network, a firewall, or whether the server is still loading the model.',
  proxy: 'The proxy refused: check its address, its password and what it allows.',
  redirect:
    'The server responds with a redirect, which is not followed: set the base URL to its target if you trust it.',
  sandbox: 'A sandbox refused the connection: add the host to its allow-list.',
  auth: "The key was refused, or none was sent: check that it is whole and this vendor's.",
  permission: 'The key may not do this: check its rights, the project and the region.',
  model: "There is no such model for this key: check its name against the vendor's list.",
  quota: 'The account has no credit or has met its limit: look at its billing.',
  'rate-limit': 'Too many requests just now: wait, then try again.',
  overloaded: 'The vendor is overloaded: try again later.',
  server: "The server failed: try again, and look at the vendor's status page.",
  request: 'The server refused the request: check the model and the base URL.',
  'not-an-llm-server':
    'The server there does not offer this API: check the base URL, its path included.',
  aborted: 'It was stopped before it ended.',
  unknown: 'See the message.',
}

/** Problems that have another name than the code of their error. */
const renamed: Readonly<Partial<Record<ErrorCode, ConnectionProblem>>> = {
  'invalid-base-url': 'config',
  unsupported: 'config',
  'not-found': 'model',
  'quota-exhausted': 'quota',
  truncated: 'interrupted',
  protocol: 'not-an-llm-server',
  'limit-exceeded': 'not-an-llm-server',
  'redirect-refused': 'redirect',
  'invalid-request': 'request',
  'context-length': 'request',
  'content-filter': 'request',
}

const isProblem = (code: string): code is ConnectionProblem => Object.hasOwn(fixes, code)

/** The marks by which a refusal of a sandbox is recognized. */
const sandboxMarks =
  /blocked-by-sandbox-runtime|blocked-by-allowlist|blocked by network allowlist|Domain not in allowlist|Sandbox policy blocks|NotCapable|ERR_ACCESS_DENIED|Requires net access/

/** How the driver says that it did not get as far as asking the proxy. */
const unreachableProxy = /: the proxy \S+ cannot be reached: /

/** A model in this process has no network to check. */
const timeoutInProcess =
  'No reply in time: the model computes in this process, so give it more time, a smaller model or fewer tokens, and see what else uses the processor.'

const isInProcess = ({ provider, host }: Partial<ProviderError>): boolean =>
  host === undefined && providerRows.some((row) => row.offline && row.name === provider)

/** Names the problem behind a failed connection test. */
export function diagnose(error: unknown): Diagnosis {
  const problem = problemOf(error)
  const details = (isLlmError(error) ? error : {}) as Partial<ProviderError>
  const { host, retryAfterMs } = details
  if (problem === 'rate-limit' && retryAfterMs) return { problem, fix: waitFor(retryAfterMs) }
  if (problem === 'timeout' && isInProcess(details)) return { problem, fix: timeoutInProcess }
  if (host === undefined) return { problem, fix: fixes[problem] }
  if (problem === 'sandbox')
    return {
      problem,
      fix: `A sandbox refused the connection: add ${host} to its allow-list.`,
      missingHost: host,
    }
  if (problem === 'proxy' && unreachableProxy.test((error as Error).message))
    return { problem, fix: 'The proxy cannot be reached: start it, or correct its address.' }
  if (problem === 'proxy')
    return {
      problem,
      fix: `The proxy refused: check its address and password, and that it allows ${host}.`,
      missingHost: host,
    }
  return { problem, fix: fixes[problem] }
}

/** Says how long the server asks to wait, in the unit that a person would use. */
function waitFor(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  const [count, unit] = seconds < 120 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return `Too many requests just now: the server asks to wait ${count} ${unit}${count === 1 ? '' : 's'}.`
}

function problemOf(error: unknown): ConnectionProblem {
  if (error instanceof DOMException && error.name === 'AbortError') return 'aborted'
  if (!isLlmError(error)) return 'unknown'
  const { reason, status, host, body = '', cause } = error as Partial<ProviderError>
  // A limit of this program, such as the steps of a run; a server is named by the errors that it
  // caused.
  if (error.code === 'limit-exceeded' && host === undefined) return 'unknown'
  const causeCode = String((cause as { readonly code?: unknown } | undefined)?.code)
  if (sandboxMarks.test(`${error.message} ${body} ${causeCode}`)) return 'sandbox'
  // Node's fetch reports a refused proxy tunnel as a cancelled request. A request that the caller
  // stopped is not a network failure.
  const cancelled = error.code === 'network' && error.message.endsWith('Request was cancelled.')
  if (
    status === 407 ||
    reason === 'proxy' ||
    cancelled ||
    unreachableProxy.test(error.message) ||
    /proxy response|proxy.{0,40}CONNECT/i.test(error.message)
  )
    return 'proxy'
  if (error.code === 'network') {
    if (reason === 'dns' || reason === 'refused' || reason === 'tls') return reason
    if (causeCode === 'EAI_AGAIN') return 'dns'
    return 'interrupted'
  }
  // A web page says that the address is wrong, whatever its status.
  if (/^\s*<(!doctype|html|head|\?xml)/i.test(body) && (status ?? 0) < 500)
    return status === 401 || status === 403 ? 'auth' : 'not-an-llm-server'
  // An API names the model it does not have; a path that is not there says nothing.
  const text = body || error.message.replace(/^[^:]*: \d+ [a-z-]+:/, '')
  if (error.code === 'not-found' && !/model|deployment/i.test(text)) return 'not-an-llm-server'
  return renamed[error.code] ?? (isProblem(error.code) ? error.code : 'unknown')
}
