import type { ChatMessage } from '@modelport/core'

/** A message, or another value that names the tool sources whose results it has. */
type Sourced = Pick<ChatMessage, 'sources'>

/** Names of the tool sources of all these values, each once. */
export const sourcesOf = (all: readonly Sourced[]): readonly string[] => [
  ...new Set(all.flatMap(({ sources = [] }) => sources)),
]

/** Adds names of tool sources to those of a message. */
export const withSources = <Message extends Sourced>(
  message: Message,
  names: readonly string[],
): Message =>
  names.length ? { ...message, sources: sourcesOf([message, { sources: names }]) } : message
