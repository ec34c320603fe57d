import type { FinishReason } from '@modelport/core'
import type { Cli } from '../context/cli.js'
import type { ChatReply } from './ask.js'

/** Reports that a text was cut, filtered or empty, which the text does not show. */
export function warnOfCut(
  { err }: Cli,
  { finishReason, text, interrupted, stopped }: ChatReply,
): void {
  const notes: Partial<Record<FinishReason, string>> = {
    length: 'the reply was cut at the token limit',
    'content-filter': 'the model refused, or its reply was filtered',
  }
  const isEmpty = !text.trim() && !interrupted && !stopped
  const note = (finishReason && notes[finishReason]) ?? (isEmpty ? 'the reply is empty' : undefined)
  if (note) err.line(err.style('yellow', `warning: ${note}`))
}
