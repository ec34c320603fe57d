import type { ModelProfile, Provider } from '@modelport/core'
import {
  type Authorize,
  type InferRequest,
  infer,
  type PendingOutcome,
  type PendingQuestion,
  type ResumeDecision,
  type RunJournal,
  type RunResult,
  type Tool,
  type ToolSource,
} from '@modelport/runtime'
import type { StartRun } from '../protocol/protocol.js'
import type { StoredJournal } from '../store/studio-journals.js'
import type { ExecuteRun, RunEnd, RunPort } from './run-port.js'

/** A model, and the tools that it may call. */
export interface ModelRunSettings {
  /** Id of the run, shown in its events. */
  readonly runId: string
  /** Tools on this machine. */
  readonly tools: readonly Tool[]
  /** Servers whose tools the model may call too. */
  readonly sources: readonly ToolSource[]
  /**
   * True when the run repeats a part of another one: then a person decides on calls with an effect,
   * whatever the run allows.
   */
  readonly repeats?: boolean | undefined
  /** Prices and context window. */
  readonly profile: ModelProfile | undefined
  /** Makes the provider when the run starts. */
  readonly provider: () => Promise<Provider>
  /** Where the run is recorded. Unset: it cannot be continued. */
  readonly journal?: RunJournal | undefined
  /** The state from which a cut-off run continues. */
  readonly stored?: StoredJournal | undefined
}

/**
 * Runs the inference loop of one model. A person answers questions of tools, and says what became
 * of each call that was cut off.
 */
export const modelRun =
  (settings: ModelRunSettings): ExecuteRun =>
  async (request, port) => {
    const { runId, provider, stored } = settings
    const model = await provider()
    const shared = toRequest(settings, request, port)
    const { journal } = settings
    const first = stored
      ? { messages: stored.messages, durable: { journal, resume: stored.resume } }
      : { messages: request.messages, durable: { journal, runId } }
    let result = await infer(model, { ...shared, ...first })
    for (let open = openOf(result); open.length > 0; open = openOf(result)) {
      if (result.status !== 'suspended') break
      const { transcript: messages, checkpoint: resume } = result
      const decisions = await decide(open, port)
      if (!decisions) return { ...toEnd(result), status: 'cancelled' }
      result = await infer(model, { ...shared, messages, durable: { journal, resume, decisions } })
    }
    return toEnd(result)
  }

function toRequest(
  { tools, sources, repeats, profile }: ModelRunSettings,
  { mode = 'auto', approvals = 'ask', options = {}, budget }: StartRun,
  port: RunPort,
): InferRequest {
  const { responseFormat, ...rest } = options
  return {
    tools,
    sources,
    // Without tools a reply is plain text, also of a model that is not known to support them.
    mode: tools.length + sources.length > 0 ? mode : 'native',
    authorize: toAuthorize(
      port,
      async (action) =>
        approvals === 'ask' ||
        (repeats === true && !(await isHarmless(toCall(action).tool, tools, sources))),
    ),
    options: rest,
    ...outputOf(responseFormat),
    limits: { budget, profile },
    signal: port.signal,
    observe: { onEvent: (event) => port.run(event) },
  }
}

/** What holds the loop to the format of the last reply; it does not take the option itself. */
function outputOf(
  format: NonNullable<StartRun['options']>['responseFormat'],
): Pick<InferRequest, 'outputSchema'> {
  if (!format || format.type === 'text') return {}
  return { outputSchema: format.type === 'json' ? { type: 'object' } : format.schema }
}

type OpenItem = PendingOutcome | PendingQuestion

const openOf = (result: RunResult): readonly OpenItem[] =>
  result.status === 'suspended'
    ? result.pending.filter((item) => item.type === 'uncertain' || item.type === 'question')
    : []

/**
 * Asks a person the questions of tools, and about calls of unknown outcome; undefined when the run
 * was stopped meanwhile.
 */
async function decide(
  items: readonly OpenItem[],
  port: RunPort,
): Promise<ResumeDecision[] | undefined> {
  try {
    return await Promise.all(
      items.map(async (item): Promise<ResumeDecision> => {
        const { id, action } = item
        const call = { callId: id, ...toCall(action) }
        if (item.type === 'question') {
          const { digest, question } = item
          const { approved, ...rest } = await port.ask(
            { ...call, question: { ...question, digest } },
            port.signal,
          )
          return { type: 'answer', id, digest, action: approved ? 'accept' : 'decline', ...rest }
        }
        const why = `idempotency key ${item.idempotencyKey}`
        const { outcome, result = '' } = await port.ask(
          { ...call, uncertain: true, reason: why },
          port.signal,
        )
        if (outcome === 'happened') return { type: 'result', id, result }
        return { type: outcome === 'did-not-happen' ? 'repeat' : 'give-up', id }
      }),
    )
  } catch (error) {
    if (port.signal.aborted) return undefined
    throw error
  }
}

const toCall = (
  action: PendingOutcome['action'],
): { readonly tool: string; readonly args: unknown } => ({
  tool: action.type === 'tool_call' ? action.tool : action.agent,
  args: 'args' in action ? action.args : undefined,
})

function toAuthorize(
  port: RunPort,
  asks: (action: PendingOutcome['action']) => Promise<boolean>,
): Authorize {
  return async (action, { actionId }) =>
    (await asks(action))
      ? {
          effect: 'require-approval',
          ask: (signal) => port.ask({ callId: actionId, ...toCall(action) }, signal),
        }
      : { effect: 'allow' }
}

/** True for a tool that says it can be called twice. */
async function isHarmless(
  name: string,
  tools: readonly Tool[],
  sources: readonly ToolSource[],
): Promise<boolean> {
  const found = tools.find(({ definition }) => definition.name === name)
  const all = found ? [found] : (await Promise.all(sources.map((source) => source.tools()))).flat()
  return all.some(
    ({ definition, readOnly, idempotent }) =>
      definition.name === name && [readOnly, idempotent].includes(true),
  )
}

function toEnd(result: RunResult): RunEnd {
  const { status, transcript, usage, metrics, details } = result
  return {
    status,
    transcript,
    usage,
    ...(details.logprobs && { logprobs: details.logprobs }),
    ...(metrics.totalCost !== undefined && { cost: metrics.totalCost }),
    ...(metrics.costBound && { costBound: metrics.costBound }),
    ...(result.status === 'failed' && {
      error: { code: result.error.code, message: result.error.message },
    }),
    ...((result.status === 'limit' || result.status === 'budget') && {
      error: { code: result.status, message: result.message },
    }),
  }
}
