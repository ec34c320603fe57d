import type { JsonObject } from '@modelport/core'
import { executeBatch, type RunContext, type Tool, type ToolOutcome } from '@modelport/runtime'
import { type Artifact, createArtifact, forAction } from '../models/artifact.js'
import { createPart, type ToolCallContent } from '../models/part.js'
import type { Agent } from './agent.js'
import { toJsonValue } from './content.js'
import { decide, type PolicyScope } from './policy.js'
import { digestOf } from './wait-state.js'

/** The outcome of an explicit tool call of a message. */
export type ExplicitOutcome =
  | { readonly status: 'ok'; readonly artifact: Artifact }
  | { readonly status: 'failed'; readonly error: string; readonly artifact?: Artifact }
  | {
      readonly status: 'approval'
      readonly callId: string
      readonly digest: string
      readonly action: JsonObject
      readonly reason?: string
      readonly expiresAt?: number
    }

/** What {@link callExplicitly} works with. */
export interface ExplicitCall {
  readonly agent: Agent
  readonly content: ToolCallContent
  readonly scope: PolicyScope
  readonly run: RunContext
  readonly signal: AbortSignal
  /** Set once somebody approved this digest. */
  readonly approvedDigest?: string
}

/**
 * Calls a tool that a message names. Only tools that the card shows can be called, and the policy
 * decides.
 */
export async function callExplicitly(call: ExplicitCall): Promise<ExplicitOutcome> {
  const { agent, content, scope } = call
  const { toolName } = content
  const callId = content.callId ?? call.run.idempotencyKey
  const tool = agent.settings.tools?.find(({ definition }) => definition.name === toolName)
  const isShown = agent.card.skills.some(({ id }) => id === toolName)
  if (!tool || !isShown) return failed(callId, toolName, `Tool '${toolName}' not found`)
  const checked = await tool.validate(content.args)
  if (!checked.ok)
    return failed(callId, toolName, `Invalid arguments for tool '${toolName}': ${checked.message}`)
  const action = { type: 'tool_call', tool: toolName, args: content.args } as const
  const decision = await decide(agent.settings.policy ?? {}, scope, action)
  if (decision.effect === 'deny') return failed(callId, toolName, `Not allowed: ${decision.reason}`)
  const args = decision.effect === 'allow' ? (decision.arguments ?? content.args) : content.args
  if (decision.effect === 'require-approval') {
    const digest = digestOf(JSON.stringify([toolName, args, scope.principal]))
    if (digest !== call.approvedDigest) {
      const { reason, expiresAt } = decision
      return {
        status: 'approval',
        callId,
        digest,
        action: { ...action },
        ...(reason !== undefined && { reason }),
        ...(expiresAt !== undefined && { expiresAt }),
      }
    }
  }
  return execute(call, tool, callId, args)
}

const failed = (callId: string, toolName: string, error: string): ExplicitOutcome => ({
  status: 'failed',
  error,
  artifact: forAction(
    createArtifact([createPart.toolOutput({ callId, toolName, error })], { name: toolName }),
    callId,
  ),
})

async function execute(
  { run, signal }: ExplicitCall,
  tool: Tool,
  callId: string,
  args: JsonObject,
): Promise<ExplicitOutcome> {
  const { name } = tool.definition
  const finished: ToolOutcome[] = []
  await executeBatch([{ id: callId, name, arguments: args, argumentsText: JSON.stringify(args) }], {
    tools: [tool],
    step: 1,
    signal,
    run: () => run,
    onResult: (_call, _result, outcome) => finished.push(outcome),
  })
  const [outcome] = finished
  if (outcome?.status !== 'ok')
    return failed(callId, name, outcome?.message ?? `The tool '${name}' gave no result`)
  const output = createPart.toolOutput({
    callId,
    toolName: name,
    result: toJsonValue(outcome.value),
  })
  return { status: 'ok', artifact: forAction(createArtifact([output], { name }), callId) }
}
