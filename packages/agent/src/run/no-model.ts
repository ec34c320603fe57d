import { LlmError, type Provider } from '@modelport/core'

const refuse = (): Promise<never> =>
  Promise.reject(new LlmError('unsupported', 'The agent has no model'))

/** The model of an agent without one: its runs only make the calls of a message. */
export const noModel: Provider = {
  name: 'none',
  model: 'none',
  cheapestModel: 'none',
  complete: refuse,
  completeWithHistory: refuse,
  generate: refuse,
  stream: refuse,
  streamWithHistory: refuse,
  streamWithTools: refuse,
  estimateTokens: (text) => text.length,
}
