import type { Content, ContentPart, ToolResult } from '@modelport/core'
import { cut } from '../../base/well-formed.js'
import type { ToolOutcome } from '../../tools/tool-outcome.js'

/**
 * Characters of a result that a journal or an engine records. More of it holds a process up for
 * seconds, in which it loses the lease of its run.
 */
export const mostRecorded = 4_000_000

/** A result as it can be recorded: a longer one is cut, and says so. Its outcome is kept. */
export function toRecordable(
  result: ToolResult,
  outcome: ToolOutcome,
): readonly [ToolResult, ToolOutcome] {
  const size = sizeOf(result.content)
  if (size <= mostRecorded) return [result, outcome]
  const content = cutContent(result.content, size)
  const value = outcome.status === 'ok' ? { value: content } : {}
  return [
    { ...result, content },
    { ...outcome, ...value },
  ]
}

const sizeOf = (content: Content): number =>
  typeof content === 'string'
    ? content.length
    : content.reduce((sum, part) => sum + lengthOf(part), 0)

function lengthOf(part: ContentPart): number {
  if (part.type === 'text') return part.text.length
  return part.source.type === 'base64' ? part.source.data.length : 0
}

function cutContent(content: Content, size: number): Content {
  const note = `[cut: the result has ${size} characters, and a stored run records ${mostRecorded} of them]`
  if (typeof content === 'string') return `${cut(content, mostRecorded)}\n${note}`
  let left = mostRecorded
  const kept: ContentPart[] = []
  for (const part of content) {
    const length = lengthOf(part)
    if (length <= left) kept.push(part)
    else if (part.type === 'text') kept.push({ ...part, text: cut(part.text, left) })
    else continue // half a picture cannot be shown; what follows may fit
    left = Math.max(0, left - length)
  }
  return [...kept, { type: 'text', text: note }]
}
