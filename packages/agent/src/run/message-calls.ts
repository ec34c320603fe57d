import type { FinishedCall, InferRequest } from '@modelport/runtime'
import { AgentError } from '../base/agent-error.js'
import type { Entropy } from '../base/ids.js'
import { type Artifact, createArtifact, forAction } from '../models/artifact.js'
import type { Message } from '../models/message.js'
import { createPart, type ToolCallContent } from '../models/part.js'
import type { TaskEventBody } from '../models/task-event.js'
import type { Agent } from './agent.js'
import { toJsonValue } from './content.js'

/** The tool calls that a message makes itself, in its order. Stored with a run that waits. */
export interface MessageCalls {
  /** Those that the run makes. */
  readonly made: readonly ToolCallContent[]
  /** The first one whose tool the card does not show: neither it nor any after it is made. */
  readonly unknown?: ToolCallContent
  /** True if the model is asked once they are made. */
  readonly asksModel: boolean
}

/** True if a message says something besides calls and decisions: only a model can reply to that. */
export const saysMoreThanCalls = ({ parts }: Message): boolean =>
  parts.some(({ type }) => type !== 'tool_call' && type !== 'request')

/** The calls of a message; undefined if it makes none. */
export function callsOf(agent: Agent, message: Message): MessageCalls | undefined {
  const calls = message.parts.flatMap((part) => (part.type === 'tool_call' ? [part.content] : []))
  if (!calls.length) return undefined

  const end = calls.findIndex(({ toolName }) => !shows(agent, toolName))
  const unknown = calls[end]
  return {
    made: end < 0 ? calls : calls.slice(0, end),
    ...(unknown && { unknown }),
    asksModel: saysMoreThanCalls(message) && !unknown && agent.settings.provider !== undefined,
  }
}

const shows = ({ settings: { tools = [] }, card }: Agent, name: string): boolean =>
  tools.some(({ definition }) => definition.name === name) &&
  card.skills.some(({ id }) => id === name)

/** A call of a message that failed or was not let through: it fails the task. */
export class FailedCall extends AgentError {
  /** True if nobody knows whether it had its effect. */
  readonly uncertain: boolean

  constructor(message: string, uncertain = false) {
    super('internal', message)
    this.uncertain = uncertain
  }
}

/** Why a call that the card does not show is not made. */
export const toUnknownCall = ({ toolName }: ToolCallContent): FailedCall =>
  new FailedCall(`Tool '${toolName}' not found`)

type RequestFields = Pick<InferRequest, 'calls' | 'stopWhen' | 'afterTools'>

/**
 * The fields of a run that makes the calls of a message: each result becomes an artifact, and the
 * first failure ends the run.
 * @param stopWhen when the agent's own settings end a run
 */
export function requestOfCalls(
  { made, asksModel }: MessageCalls,
  write: (event: TaskEventBody) => Promise<void>,
  entropy: Entropy,
  stopWhen: InferRequest['stopWhen'],
): RequestFields {
  const ownEnds = typeof stopWhen === 'function' ? [stopWhen] : (stopWhen ?? [])
  const own = ownEnds.map(
    (ends): typeof ends =>
      (view) =>
        view.step > made.length && ends(view),
  )
  const all = asksModel ? own : [({ step }: { readonly step: number }) => step === made.length]
  return {
    calls: made.map(({ toolName, args }) => ({ name: toolName, arguments: args })),
    ...(all.length && { stopWhen: all }),
    afterTools: async (results, { step }) => {
      const call = made[step - 1]
      const [finished] = results
      if (!call || !finished) return undefined

      const error = errorOf(call, finished)
      await write({ type: 'artifact', artifact: toArtifact(call, finished, step, error, entropy) })
      if (error !== undefined) throw new FailedCall(error, finished.outcome?.uncertain)
      return undefined
    },
  }
}

/** Why a call failed, for its caller; undefined for one that did not. */
function errorOf(
  { toolName }: ToolCallContent,
  { isError, outcome, content }: FinishedCall,
): string | undefined {
  if (!isError) return undefined
  const { status, message, uncertain } = outcome ?? {}
  // Whoever reads only what broke sends the message again.
  if (uncertain && typeof content === 'string') return content
  if (status === 'invalid-arguments')
    return `Invalid arguments for tool '${toolName}': ${message ?? ''}`
  if (message !== undefined) return message
  return typeof content === 'string' ? content : `The tool '${toolName}' gave no result`
}

/** What came of a call. A run that is cut and continued writes the same artifact again. */
function toArtifact(
  { toolName, callId: ownId }: ToolCallContent,
  { callId: id, outcome }: FinishedCall,
  step: number,
  error: string | undefined,
  entropy: Entropy,
): Artifact {
  const callId = ownId ?? id
  const result = error === undefined ? { result: toJsonValue(outcome?.value) } : { error }
  const output = createPart.toolOutput({ callId, toolName, ...result })
  const artifact = createArtifact([output], { id: `${id}#${step}`, name: toolName }, entropy)
  return forAction(artifact, callId)
}

/** What a call that is not made leaves behind. */
export function toRefusedArtifact(
  { toolName, callId = toolName }: ToolCallContent,
  error: string,
  entropy: Entropy,
): Artifact {
  const output = createPart.toolOutput({ callId, toolName, error })
  return forAction(createArtifact([output], { name: toolName }, entropy), callId)
}
