import {
  type ChatMessage,
  type Content,
  type ContentPart,
  type MediaSource,
  type ToolDefinition,
} from '@modelport/core'
import type { Driver, Turn } from '../base/driver.js'
import { namedError } from '../base/named-error.js'

/**
 * Fits a turn to what an API can be asked for. A search result becomes plain text under its address
 * where no request has a form for it; what changes only costs is left out with a warning.
 * @throws {LlmError} `unsupported` — the turn asks for what no request can say, and the reply would
 * be another one without it.
 */
export function fitTurn(
  turn: Turn,
  name: string,
  takes: NonNullable<Driver['takes']>,
): { readonly turn: Turn; readonly warnings: readonly string[] } {
  const warnings = new Set<string>()
  const { tools, options } = turn

  const warn = (what: string): void => {
    warnings.add(`${what} has no place in a request to ${name}, and was left out`)
  }
  const refuse = (what: string): never => {
    throw namedError(name, 'unsupported', `${what} has no place in this API's request`)
  }

  const checkTool = (tool: ToolDefinition): void => {
    if (tool.deferred && !takes.includes('deferred')) warn(`deferred of the tool "${tool.name}"`)
    if (tool.cache && !takes.includes('cache-marks')) warn(`cache of the tool "${tool.name}"`)
    if (tool.callers?.includes('code') && !takes.includes('callers'))
      refuse(`callers of the tool "${tool.name}"`)
  }

  const checkSource = (source: MediaSource, where: string): void => {
    if (source.type !== 'file') return
    if (source.origin !== name)
      throw namedError(
        name,
        'unsupported',
        `${where}: the file "${source.id}" is at ${source.origin}; upload it here too, or give its bytes`,
      )
    if (!takes.includes('files')) refuse(`the id of a file (${where})`)
  }

  const fitPart = (part: ContentPart, where: string): ContentPart => {
    if (part.cache && !takes.includes('cache-marks') && !takes.includes('cache-parts'))
      warn(`cache of ${where}`)
    if (part.type === 'image' && part.detail && !takes.includes('details'))
      warn(`detail of ${where}`)
    if (part.type === 'file' && part.clip && !takes.includes('clips')) refuse(`clip of ${where}`)
    if (part.type !== 'text') {
      checkSource(part.source, where)
      return part
    }
    if (!part.found || takes.includes('found')) return part

    const { found: source, ...rest } = part
    const heading = [source.title, source.url].filter(Boolean).join('\n')
    return { ...rest, text: `${heading}\n\n${part.text}` }
  }

  const fitContent = (content: Exclude<Content, string>, where: string): Content => {
    const parts = content.map((part, at) => fitPart(part, `${where}.content[${at}]`))
    return parts.some((part, at) => part !== content[at]) ? parts : content
  }

  if (options.cache === 'hour' && !takes.includes('cache-hour')) warn('cache: "hour"')
  tools.forEach(checkTool)

  const messages = turn.messages.map((message, at): ChatMessage => {
    if (typeof message.content === 'string') return message
    const content = fitContent(message.content, `messages[${at}]`)
    return content === message.content ? message : ({ ...message, content } as ChatMessage)
  })
  const isSame = messages.every((message, at) => message === turn.messages[at])
  return { turn: isSame ? turn : { ...turn, messages }, warnings: [...warnings] }
}
