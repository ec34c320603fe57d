import { type ChatMessage, textOf } from '@modelport/core'
import type { RunRecord, StudioEvent } from '../protocol/protocol.js'

/** Maximum characters of a run that are searched. */
const longestText = 1_000_000
/** Characters of a text that is shown before the word that was searched. */
const before = 40
/** Characters that are shown after it. */
const after = 120

/** What is searched in a run, and the tools that it called. */
export interface RunText {
  readonly text: string
  readonly tools: readonly string[]
}

/**
 * The text of what is new in a run: messages that it took over from an earlier run are found there.
 * The events are read if the run has no transcript, for example since it was cut off.
 */
export function toRunText(run: RunRecord, events: () => readonly StudioEvent[]): RunText {
  const messages = (run.transcript ?? run.messages).slice(run.from?.messages ?? 0)
  const parts = messages.flatMap(textsOf)
  if (!parts.some((part) => part.includes(run.title))) parts.unshift(run.title)
  const tools = new Set(messages.flatMap((message) => toolsOf(message)))
  const system = run.settings?.options?.system
  if (system && !run.from) parts.push(system)
  // The spans of a trace say more than its messages.
  if (!run.transcript || run.id.startsWith('trace-')) addEvents(events(), parts, tools)
  if (run.error) parts.push(run.error.code, run.error.message)
  return { text: parts.join('\n').slice(0, longestText).normalize('NFC'), tools: [...tools] }
}

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

const toolsOf = (message: ChatMessage): readonly string[] =>
  message.role === 'assistant' ? (message.toolCalls ?? []).map(({ name }) => name) : []

function textsOf(message: ChatMessage): string[] {
  const texts = [textOf(message.content)]
  if (message.role !== 'assistant') return texts
  return [
    message.reasoning ?? '',
    ...texts,
    ...(message.toolCalls ?? []).map((call) => `${call.name} ${toText(call.arguments)}`),
  ]
}

/** Adds what the events say; text that arrived in parts is one text again. */
function addEvents(events: readonly StudioEvent[], parts: string[], tools: Set<string>): void {
  let text = ''
  for (const one of events) {
    if (one.type === 'span')
      parts.push(
        one.span.name,
        toText(one.span.args ?? ''),
        toText(one.span.result ?? ''),
        one.span.error?.message ?? '',
      )
    if (one.type === 'span' && one.span.kind === 'tool') tools.add(one.span.name)
    if (one.type !== 'run' && one.type !== 'agent') continue
    const { event } = one
    if (event.type === 'model-call-start') text += '\n'
    if ('text' in event && event.type.endsWith('-delta')) text += event.text
    else if ('tool' in event && 'args' in event) {
      tools.add(event.tool)
      if (event.type.endsWith('-start')) parts.push(`${event.tool} ${toText(event.args)}`)
    }
    if ('result' in event) parts.push(toText(event.result))
    if ('message' in event && typeof event.message === 'string') parts.push(event.message)
  }
  parts.push(text)
}

/**
 * The words of a search, each as its parts of letters and digits, without case and accents;
 * undefined if nothing was searched for.
 */
export function toWords(search: string | undefined): readonly (readonly string[])[] | undefined {
  const words = search?.normalize('NFC').split(/\s+/).filter(Boolean)
  return words?.length
    ? words.map((word) => fold(word).match(/[\p{L}\p{N}]+/gu) ?? []).filter(isNotEmpty)
    : undefined
}

const isNotEmpty = (parts: readonly string[]): boolean => parts.length > 0

/** Lower case without accents; of the same length, so that positions stay. */
const fold = (text: string): string =>
  text.replace(/[^\0-\x7f]/g, (unit) => unit.normalize('NFD').charAt(0)).toLowerCase()

/** The text around the first of the words; undefined unless the text has all of them. */
export function findWords(text: string, words: readonly (readonly string[])[]): string | undefined {
  const folded = fold(text)
  let first = Infinity
  for (const [index, parts] of words.entries()) {
    const end = index === words.length - 1 ? '' : '(?![\\p{L}\\p{N}])'
    const at = folded.search(
      new RegExp(`(?<![\\p{L}\\p{N}])${parts.join('[^\\p{L}\\p{N}]+')}${end}`, 'u'),
    )
    if (at < 0) return undefined
    first = Math.min(first, at)
  }
  if (first === Infinity) return undefined
  const from = Math.max(0, first - before)
  const cut = text.slice(from, first + after).replace(/\s+/g, ' ')
  return `${from > 0 ? '…' : ''}${cut}${first + after < text.length ? '…' : ''}`
}
