import type { ChatMessage } from '@modelport/core'

/** What may have results of tool sources in it. */
type Sourced = Pick<ChatMessage, 'sources'>

/** Names of the tool sources whose results are in these, each once. */
export const sourcesOf = (all: readonly Sourced[]): readonly string[] => [
  ...new Set(all.flatMap(({ sources = [] }) => sources)),
]

/** The message with these names too. */
export const withSources = <Message extends Sourced>(
  message: Message,
  names: readonly string[],
): Message =>
  names.length ? { ...message, sources: sourcesOf([message, { sources: names }]) } : message
