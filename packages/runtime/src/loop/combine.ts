import {
  type CallOptions,
  type ChatMessage,
  type Generation,
  LlmError,
  mergeGenerations,
  mergeOptions,
  type Provider,
} from '@modelport/core'
import { checkMessages, checkProvider } from '../base/check-request.js'

/** One model of several that answer in turn. */
export interface Member {
  /** The model that answers. */
  readonly provider: Provider
  /** What this one is told beside the instructions of all. */
  readonly prompt: string
}

/** What a later model is asked when the answers of those before it stand in the conversation: few servers go on from an answer. */
const next = 'Now do your part, with the answers above at hand.'

/**
 * Lets several models answer the same conversation one after the other. Each has its own prompt, sees the conversation as it was given, and every answer before its own once.
 * @returns their answers as one: texts joined by line breaks, calls and usage together.
 * @throws {LlmError} `config` — there is no member. Throws like {@link Provider.generate}.
 */
export async function combine(
  members: readonly Member[],
  messages: readonly ChatMessage[],
  ...options: readonly CallOptions[]
): Promise<Generation> {
  const list: unknown = members
  if (!Array.isArray(list) || !list.length) throw new LlmError('config', 'combine: give a list of at least one member')
  for (const [index, member] of members.entries())
    checkProvider((member as Member | null)?.provider, `members[${index}].provider`)
  checkMessages(messages)
  const answers: Generation[] = []
  const given = mergeOptions(...options)
  for (const { provider, prompt } of members) {
    const system = [given.system ?? '', prompt].filter(Boolean).join('\n\n')
    answers.push(await provider.generate(toConversation(messages, answers), given, system ? { system } : {}))
  }
  return mergeGenerations(...answers)
}

function toConversation(messages: readonly ChatMessage[], answers: readonly Generation[]): readonly ChatMessage[] {
  const said = answers
    .filter(({ text }) => text !== '')
    .map(({ text }): ChatMessage => ({ role: 'assistant', content: text }))
  return said.length ? [...messages, ...said, { role: 'user', content: next }] : messages
}
