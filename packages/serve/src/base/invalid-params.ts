import { AgentError } from '@modelport/agent'

/**
 * Refuses one value of a request.
 * @param text the whole sentence. Default: the pointer, then the message
 */
export const invalidParams = (
  pointer: string,
  message: string,
  text = `${pointer}: ${message}`,
): AgentError => new AgentError('invalid-params', text, { violations: [{ pointer, message }] })
