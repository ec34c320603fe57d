import { canonicalHash } from '@modelport/runtime'
import type { AnyPrompt, TurnHandler } from './prompt.js'

/**
 * SHA-256 of what shapes a turn: wording, parser, tools, handlers, options. Two prompts that ask
 * for the same have the same hash.
 */
export function hashPrompt(prompt: AnyPrompt): string {
  const shape = {
    text: prompt.text,
    parser: prompt.parser.shape,
    tools: prompt.tools?.map(({ definition }) => definition),
    providerTools: prompt.providerTools,
    onParseError: handlerShape(prompt.onParseError),
    onToolResults: prompt.onToolResults === false ? false : handlerShape(prompt.onToolResults),
    lastCall: handlerShape(prompt.lastCall),
    options:
      prompt.options &&
      Object.fromEntries(Object.entries(prompt.options).filter(([key]) => key !== 'signal')),
  }
  return canonicalHash(shape)
}

const handlerShape = (handler: TurnHandler<unknown> | undefined): string | undefined =>
  typeof handler === 'string' ? handler : handler?.hash
