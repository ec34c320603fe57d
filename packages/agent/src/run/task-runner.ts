import type { JsonObject, LlmError, ReplyDetails } from '@modelport/core'
import { JournalError, type RunCheckpoint, RunError, type RunResult } from '@modelport/runtime'
import { isAgentError } from '../base/agent-error.js'
import { createId } from '../base/ids.js'
import type { JsonValue } from '../base/json.js'
import { answerArtifactId, createArtifact } from '../models/artifact.js'
import { createMessage, type Message } from '../models/message.js'
import { createPart as make, type Part, textOfParts } from '../models/part.js'
import { finishReasonKey, replyKey } from '../models/task.js'
import type { TaskEventBody } from '../models/task-event.js'
import type { TaskState } from '../models/task-state.js'
import type { HandlerResult, TaskOutcome } from './agent.js'
import { describeCallsMade } from './calls-made.js'
import { childRequests } from './child-requests.js'
import { fromContent } from './content.js'
import { failureText, runModel } from './default-handler.js'
import { isMessage, isOutcome, outcomeOfParts } from './handler-result.js'
import { type HandlerRun, HandlerTurn, handlerRunOf } from './handler-turn.js'
import { runIdOf } from './held-work.js'
import { isOnlyDecisions } from './inbox-messages.js'
import {
  callsOf,
  FailedCall,
  type MessageCalls,
  saysMoreThanCalls,
  toRefusedArtifact,
  toUnknownCall,
} from './message-calls.js'
import { addInheritedChildren, openChildren } from './open-children.js'
import { knownBefore, noteMessages, unreadMessages } from './read-messages.js'
import type { ChildWaits } from './sub-agent.js'
import type { Turn } from './turn.js'
import { requestParts, toRequests, type WaitingRequest, type WaitState } from './wait-state.js'

/** How an activation ended: the events that say so. */
export interface TurnEnd {
  readonly events: readonly TaskEventBody[]
  readonly requests: readonly WaitingRequest[]
  /** Why the run failed, for the operator; the caller reads its class. */
  readonly failure?: Error
}

const end = (...events: readonly TaskEventBody[]): TurnEnd => ({ events, requests: [] })

const status = (
  state: TaskState,
  message?: Message,
  metadata?: Readonly<Record<string, JsonValue>>,
): TaskEventBody => ({
  type: 'status',
  state,
  ...(message && { message }),
  ...(metadata && { metadata }),
})

/** Works on one activation of a task. */
export async function runTurn(turn: Turn): Promise<TurnEnd> {
  const { agent, message, wait } = turn
  if (agent.settings.handler) return runHandler(turn)
  if (wait?.kind === 'run') return runTurnOfModel(turn, wait.calls)

  const calls = callsOf(agent, message)
  if (calls) return runCalls(turn, calls)
  if (isOnlyDecisions(message)) return end(status('rejected', say(turn, nothingToDecide)))
  return agent.settings.provider ? runTurnOfModel(turn) : rejectWithoutModel(turn)
}

const nothingToDecide =
  'The message only decides, and the task waits for no decision; send it with the id of the task that does'

const rejectWithoutModel = (turn: Turn): TurnEnd =>
  end(status('rejected', say(turn, 'The agent has no model: it only executes tool_call parts')))

/** Makes the calls of a message, and asks the model about the rest of it. */
function runCalls(turn: Turn, calls: MessageCalls): TurnEnd | Promise<TurnEnd> {
  return calls.made.length ? runTurnOfModel(turn, calls) : endOfCalls(turn, calls)
}

/** The end of a turn whose calls are made, and that asks no model. */
function endOfCalls(turn: Turn, { unknown }: MessageCalls): TurnEnd {
  if (unknown) {
    const { message } = toUnknownCall(unknown)
    const artifact = toRefusedArtifact(unknown, message, turn.entropy)
    const failed = failedWith(turn, message)
    return { ...failed, events: [{ type: 'artifact', artifact }, ...failed.events] }
  }
  return saysMoreThanCalls(turn.message) ? rejectWithoutModel(turn) : end(status('completed'))
}

const failedWith = (turn: Turn, error: string, uncertain = false): TurnEnd =>
  end(status('failed', say(turn, error), { error, ...(uncertain && { uncertain }) }))

const say = ({ entropy }: Turn, text: string | readonly Part[]): Message =>
  createMessage('agent', text, entropy)

async function runHandler(turn: Turn): Promise<TurnEnd> {
  const run = handlerRunOf(turn)
  const handling = new HandlerTurn(turn, run, await turn.begun(run.message.id))
  const ending = await endOfRunOfHandler(turn, run, handling)
  return handling.changed ? { ...ending, failure: handling.changed } : ending
}

/** Waits for a person who has to say what became of an effect, whatever the handler made of it. */
async function endOfRunOfHandler(
  turn: Turn,
  run: HandlerRun,
  handling: HandlerTurn,
): Promise<TurnEnd> {
  const [settled] = await Promise.allSettled([callHandler(turn, handling)])
  const requests = await handling.requests()
  if (requests.length && !turn.signal.aborted) {
    const handler = { runId: run.id, messageId: run.message.id }
    return waiting(turn, { version: 1, kind: 'handler', requests, handler })
  }
  if (settled.status === 'rejected') throw settled.reason
  return endOfHandler(turn, settled.value)
}

const callHandler = async ({ agent }: Turn, { context }: HandlerTurn): Promise<HandlerResult> =>
  agent.settings.handler?.(context)

async function endOfHandler(turn: Turn, outcome: HandlerResult): Promise<TurnEnd> {
  turn.signal.throwIfAborted()
  if (outcome === undefined) return end(status('completed'))
  if (isOutcome(outcome)) return endOfOutcome(turn, outcome)
  if (isMessage(outcome)) {
    await rememberAnswer(turn, outcome.parts)
    return end(
      { type: 'message', message: { ...outcome, role: 'agent' } },
      status('completed', undefined, { [replyKey]: outcome.id }),
    )
  }
  const answer =
    typeof outcome === 'string' ? [make.text(outcome)] : 'type' in outcome ? [outcome] : outcome
  const ending = outcomeOfParts(answer)
  if (ending) return endOfOutcome(turn, ending)
  await rememberAnswer(turn, answer)
  return completed(turn, answer)
}

const rememberAnswer = (turn: Turn, answer: readonly Part[]): Promise<void> =>
  turn.remember([
    { role: 'user', content: textOfParts(turn.message.parts) },
    { role: 'assistant', content: textOfParts(answer) },
  ])

function endOfOutcome(turn: Turn, { state, message }: TaskOutcome): TurnEnd {
  const said = say(turn, message)
  if (state === 'failed') return end(status('failed', said, { error: textOfParts(said.parts) }))
  if (state === 'rejected') return end(status('rejected', said))
  const wait: WaitState = { version: 1, kind: 'handler', requests: [] }
  return end({ type: 'checkpoint', checkpoint: toJson(wait) }, status(state, said))
}

const toJson = (wait: WaitState): JsonValue => JSON.parse(JSON.stringify(wait)) as JsonValue

/**
 * The events that complete a task with an answer: one artifact, and the same as a message of the
 * history.
 */
function completed(
  turn: Turn,
  answer: readonly Part[],
  isCut = false,
  metadata: JsonObject = {},
): TurnEnd {
  const { entropy } = turn
  const fields = { id: answerArtifactId, kind: 'answer', metadata }
  const artifact = createArtifact(answer, fields, entropy)
  return end(
    { type: 'artifact', artifact },
    { type: 'message', message: createMessage('agent', answer, entropy) },
    status('completed', undefined, isCut ? { [finishReasonKey]: 'length' } : undefined),
  )
}

const waiting = (turn: Turn, wait: WaitState): TurnEnd => ({
  events: [
    { type: 'checkpoint', checkpoint: toJson(wait) },
    status('input-required', say(turn, requestParts(wait.requests))),
  ],
  requests: wait.requests,
})

async function runTurnOfModel(turn: Turn, calls?: MessageCalls): Promise<TurnEnd> {
  const { agent, signal, wait, entropy } = turn
  const children: ChildWaits = new Map()
  const waiting = wait?.asked?.runId ?? wait?.checkpoint?.runId
  const runId = waiting ?? (turn.open ? runIdOf(turn.task) : createId('run', entropy))
  const opened = await turn.open?.(runId)
  const newest = turn.task.messages.findLast(({ role }) => role === 'user') ?? turn.message
  let known = (opened && knownBefore(opened)) ?? turn.wait?.known ?? turn.conversation.length
  const stored = opened && { ...opened, journal: noteMessages(opened, newest, () => known) }
  const result = await runModel({
    ...turn,
    message: turn.isNew ? turn.message : undefined,
    runId,
    results: await openChildren(
      agent,
      stored ? stored.resume : wait?.checkpoint,
      turn.results,
      children,
      signal,
      turn.patienceMs,
    ),
    children,
    // What this turn says stays behind what is left of the conversation.
    onCompacted: ({ beforeMessages, afterMessages }) => {
      known = Math.max(0, known - (beforeMessages - afterMessages))
    },
    ...(calls && { calls }),
    ...(stored && { stored }),
    unread: stored ? unreadMessages(stored, turn.task.messages) : [],
  })
  const run: RunOfTurn = { runId, known, ...(calls && { calls }) }
  if (calls?.asksModel === false) return endOfRun(turn, result, children, run)

  const usage = usageOf(result)
  if (result.status === 'cancelled') await turn.write(usage)
  // In the transaction of the end.
  const ending = await endOfRun(turn, result, children, run)
  return { ...ending, events: [usage, ...ending.events] }
}

const askedBy = ({ runId, step, seq }: RunCheckpoint): WaitState['asked'] & object => ({
  runId,
  step,
  seq,
})

/** What {@link endOfRun} knows of a run. */
interface RunOfTurn {
  readonly runId: string
  /** Messages of its transcript that the session had before. */
  readonly known: number
  readonly calls?: MessageCalls
}

async function endOfRun(
  turn: Turn,
  result: RunResult,
  children: ChildWaits,
  { runId, known, calls }: RunOfTurn,
): Promise<TurnEnd> {
  if (turn.open && result.status === 'failed' && result.error instanceof JournalError)
    throw result.error
  if (result.status === 'cancelled') throw result.reason
  if (result.status === 'suspended') {
    await addInheritedChildren(turn.agent, result.pending, children, turn.signal)
    const own = toRequests(result.pending, turn.run.principal, runId)
    const requests = [...own, ...childRequests(turn.agent.name, children)]
    return waiting(turn, {
      version: 1,
      kind: 'run',
      requests,
      ...(turn.open
        ? { asked: askedBy(result.checkpoint) }
        : { checkpoint: result.checkpoint, messages: result.transcript }),
      known,
      ...(calls && { calls }),
    })
  }
  if (result.status === 'failed' && result.error instanceof FailedCall)
    return failedWith(turn, result.error.message, result.error.uncertain)
  if (calls && !calls.asksModel && result.status === 'final') return endOfCalls(turn, calls)

  await turn.remember(result.transcript.slice(known))
  if (result.status === 'final')
    return completed(turn, fromContent(result.content), result.truncated, sourcesOf(result.details))
  const made = describeCallsMade(turn.agent, result.transcript.slice(known))
  const text = failureText(result, made)
  const failure = operatorError(
    turn,
    result.status === 'failed' ? result.error : new RunError(result),
  )
  // What the task was asked for is done in part: for its caller, that is an unknown outcome.
  return { ...failedWith(turn, text, made !== undefined), failure }
}

/** The sources that the model named, for whoever shows the answer. */
const sourcesOf = ({ citations = [] }: ReplyDetails): JsonObject =>
  citations.length ? { citations: JSON.parse(JSON.stringify(citations)) as JsonValue } : {}

const usageOf = ({ usage, metrics }: RunResult): TaskEventBody => ({
  type: 'usage',
  usage: JSON.parse(JSON.stringify(usage)) as typeof usage,
  ...(metrics.totalCost !== undefined && { cost: metrics.totalCost }),
})

function operatorError({ agent, run }: Turn, error: LlmError): Error {
  const { host } = error as { readonly host?: string }
  const kind = host === undefined ? error.code : `${error.code}, ${host}`
  return new Error(
    `task ${run.taskId} of agent "${agent.name}" failed (${kind}): ${error.message}`,
    { cause: error },
  )
}

/** The events of a task that an error ended. */
export function endOfError(
  turn: Pick<Turn, 'entropy' | 'signal'>,
  error: unknown,
): readonly TaskEventBody[] {
  const text = isAgentError(error) ? error.message : 'The agent failed'
  const message = createMessage('agent', text, turn.entropy)
  return [
    status(isAgentError(error, 'forbidden') ? 'rejected' : 'failed', message, { error: text }),
  ]
}

/** The event that cancels a task. */
export const cancelledEvent = (reason: string | undefined): TaskEventBody =>
  status('cancelled', undefined, reason ? { cancel_reason: reason } : undefined)
