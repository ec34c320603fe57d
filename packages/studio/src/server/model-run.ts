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
import type { ExecuteRun, RunEnd, RunPort } from './run-port.js'
import type { StoredJournal } from './studio-journals.js'

/** A model, and the tools that it may call. */
export interface ModelRunSettings {
  /** Id of the run, shown in its events. */
  readonly runId: string
  /** Tools on this machine. */
  readonly tools: readonly Tool[]
  /** Servers whose tools the model may call too. */
  readonly sources: readonly ToolSource[]
  /** Prices and context window. */
  readonly profile: ModelProfile | undefined
  /** Makes the provider when the run starts. */
  readonly provider: () => Promise<Provider>
  /** Where the run is recorded. Unset: it cannot be continued. */
  readonly journal?: RunJournal | undefined
  /** The state from which a cut-off run continues. */
  readonly stored?: StoredJournal | undefined
}

/** Runs the inference loop of one model. A person answers questions of tools, and says what became of each call that was cut off. */
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
  { tools, sources, profile }: ModelRunSettings,
  { mode = 'auto', approvals = 'ask', options = {}, budget }: StartRun,
  port: RunPort,
): InferRequest {
  return {
    tools,
    sources,
    // Without tools a reply is plain text, also of a model that is not known to support them.
    mode: tools.length + sources.length > 0 ? mode : 'native',
    authorize: toAuthorize(approvals, port),
    options,
    limits: { budget, profile },
    signal: port.signal,
    observe: { onEvent: (event) => port.run(event) },
  }
}

type OpenItem = PendingOutcome | PendingQuestion

const openOf = (result: RunResult): readonly OpenItem[] =>
  result.status === 'suspended'
    ? result.pending.filter((item) => item.type === 'uncertain' || item.type === 'question')
    : []

/** Asks a person the questions of tools, and about calls of unknown outcome; undefined when the run was stopped meanwhile. */
async function decide(items: readonly OpenItem[], port: RunPort): Promise<ResumeDecision[] | undefined> {
  try {
    return await Promise.all(
      items.map(async (item): Promise<ResumeDecision> => {
        const { id, action } = item
        const call = { callId: id, ...toCall(action) }
        if (item.type === 'question') {
          const { digest, question } = item
          const { approved, ...rest } = await port.ask({ ...call, question: { ...question, digest } }, port.signal)
          return { type: 'answer', id, digest, action: approved ? 'accept' : 'decline', ...rest }
        }
        const { approved, reason } = await port.ask({ ...call, uncertain: true }, port.signal)
        if (approved) return { type: 'repeat', id }
        return reason === undefined ? { type: 'give-up', id } : { type: 'result', id, result: reason }
      }),
    )
  } catch (error) {
    if (port.signal.aborted) return undefined
    throw error
  }
}

const toCall = (action: PendingOutcome['action']): { readonly tool: string; readonly args: unknown } => ({
  tool: action.type === 'tool_call' ? action.tool : action.agent,
  args: 'args' in action ? action.args : undefined,
})

function toAuthorize(approvals: 'ask' | 'allow', port: RunPort): Authorize {
  if (approvals === 'allow') return () => ({ effect: 'allow' })
  return (action, { actionId }) => ({
    effect: 'require-approval',
    ask: (signal) => port.ask({ callId: actionId, ...toCall(action) }, signal),
  })
}

function toEnd(result: RunResult): RunEnd {
  const { status, transcript, usage, metrics } = result
  return {
    status,
    transcript,
    usage,
    ...(metrics.totalCost !== undefined && { cost: metrics.totalCost }),
    ...(result.status === 'failed' && { error: { code: result.error.code, message: result.error.message } }),
    ...((result.status === 'limit' || result.status === 'budget') && {
      error: { code: result.status, message: result.message },
    }),
  }
}
