import { LlmError } from '@modelport/core'

/**
 * A call to an agent failed although the agent did not refuse it: no connection, a response that is
 * too large.
 */
export class AgentClientError extends LlmError {
  /** What to do, if that is known. Advice about models does not apply. */
  readonly fix?: string

  constructor({ code, message, cause }: LlmError) {
    super(code, message, { cause })
    if (code === 'network') this.fix = networkFix(cause)
    if (code === 'redirect-refused') this.fix = 'Pass the URL that it redirects to if you trust it.'
  }
}
Object.defineProperty(AgentClientError.prototype, 'name', { value: 'AgentClientError' })

const unresolved =
  'The host name does not resolve: check its spelling in the URL of the agent, and the network.'
const fixes: Readonly<Record<string, string>> = {
  ECONNREFUSED:
    'Nothing listens there: start the agent (modelport agent serve), or correct the host and port of its URL.',
  ENOTFOUND: unresolved,
  EAI_AGAIN: unresolved,
}

/** @param cause what `fetch` threw; its own cause is the error of the socket */
function networkFix(cause: unknown): string {
  const { code = '' } = ((cause as Error | undefined)?.cause ?? {}) as NodeJS.ErrnoException
  return (
    fixes[code] ??
    'Check that the agent is running, that its URL is right (http or https, host, port), and that firewalls, proxies and sandboxes allow the host.'
  )
}
