import type { ModelProfile, Provider } from '@modelport/core'
import { type Authorize, infer, type RunResult, type Tool, type ToolSource } from '@modelport/runtime'
import type { ExecuteRun, RunEnd, RunPort } from './run-port.js'

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
}

/** Runs the inference loop of one model. */
export const modelRun =
  ({ runId, tools, sources, profile, provider }: ModelRunSettings): ExecuteRun =>
  async (request, port) =>
    toEnd(
      await infer(await provider(), {
        messages: request.messages,
        tools,
        sources,
        // Without tools a reply is plain text, also of a model that is not known to support them.
        mode: tools.length + sources.length > 0 ? (request.mode ?? 'auto') : 'native',
        authorize: toAuthorize(request.approvals ?? 'ask', port),
        options: request.options ?? {},
        ...(request.budget && { budget: request.budget }),
        signal: port.signal,
        runId,
        ...(profile && { profile }),
        onEvent: (event) => port.run(event),
      }),
    )

function toAuthorize(approvals: 'ask' | 'allow', port: RunPort): Authorize {
  if (approvals === 'allow') return () => ({ effect: 'allow' })
  return (action, { actionId }) => ({
    effect: 'require-approval',
    ask: (signal) => {
      const tool = action.type === 'tool_call' ? action.tool : action.agent
      return port.ask({ callId: actionId, tool, args: 'args' in action ? action.args : undefined }, signal)
    },
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
