import { type ChatMessage, textOf } from '@modelport/core'
import { delegationNames, saysOutcomeUnknown } from '@modelport/runtime'
import type { Agent } from './agent.js'

/** A call that had an effect, or may have had one. */
interface CallMade {
  readonly name: string
  readonly argumentsText: string
  /** `answered`: another agent did, and only its answer says what was done. */
  readonly came: 'done' | 'answered' | 'unknown'
}

const words: Readonly<Record<CallMade['came'], string>> = {
  done: 'done',
  answered: 'the agent answered',
  unknown: 'whether it happened is not known',
}

/** Maximum calls that a failure names, and characters of the arguments of each. */
const mostCalls = 10
const mostCharacters = 200

/**
 * What a run that did not come to its end has done: a caller who reads only that it failed would
 * ask for all of it again. Calls of tools that change nothing, and calls that failed, are left out.
 *
 * @returns a sentence for the caller; undefined if nothing was done
 */
export function describeCallsMade(
  { settings }: Agent,
  transcript: readonly ChatMessage[],
): string | undefined {
  const reads = new Set(
    (settings.tools ?? []).flatMap(({ definition, readOnly }) =>
      readOnly ? [definition.name] : [],
    ),
  )
  const made = callsMade(transcript).filter(({ name }) => !reads.has(name))
  if (made.length === 0) return undefined

  const more = made.length > mostCalls ? `, and ${made.length - mostCalls} more` : ''
  const calls = made.slice(0, mostCalls).map(({ name, argumentsText, came }) => {
    const shown =
      argumentsText.length > mostCharacters
        ? `${argumentsText.slice(0, mostCharacters)}…`
        : argumentsText
    return `${name} ${shown} (${words[came]})`
  })
  return `Before that, these calls were made: ${calls.join('; ')}${more}. Ask only for what is missing.`
}

function callsMade(transcript: readonly ChatMessage[]): readonly CallMade[] {
  const asked = new Map<string, Pick<CallMade, 'name' | 'argumentsText'>>()
  const made: CallMade[] = []
  for (const message of transcript) {
    if (message.role === 'assistant')
      for (const { id, name, arguments: values } of message.toolCalls ?? [])
        asked.set(id, { name, argumentsText: JSON.stringify(values) })
    if (message.role !== 'tool') continue
    const call = asked.get(message.toolCallId)
    const isUnknown = saysOutcomeUnknown(textOf(message.content))
    if (!call || (message.isError && !isUnknown)) continue
    const isAsked = call.name === delegationNames.infer
    made.push({ ...call, came: isUnknown ? 'unknown' : isAsked ? 'answered' : 'done' })
  }
  return made
}
