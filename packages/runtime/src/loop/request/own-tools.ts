import type { Authorize } from '../../policy/authorize.js'
import { needsApproval, type ToolSet, toTools } from '../../tools/foreign-tool.js'
import type { InferRequest } from './run-request.js'

/**
 * The request with a set of tools made into a list of ours. What its tools say of approvals joins
 * the policy: the stricter of both decides.
 */
export function withOwnTools<Request extends Pick<InferRequest, 'tools' | 'authorize'>>(
  request: Request,
): Request {
  const { tools, authorize } = request
  if (tools === undefined || typeof tools === 'function' || Array.isArray(tools)) return request
  const set = tools as ToolSet
  const decide: Authorize = async (action, context) => {
    const decision = authorize ? await authorize(action, context) : { effect: 'allow' as const }
    if (decision.effect !== 'allow' || action.type !== 'tool_call') return decision
    if (
      !(await needsApproval(set, action.tool, decision.arguments ?? action.args, context.actionId))
    )
      return decision
    return { effect: 'require-approval', reason: `the tool "${action.tool}" asks for approval` }
  }
  const asks = Object.values(set).some(
    (tool) => 'needsApproval' in tool && tool.needsApproval !== undefined,
  )
  return { ...request, tools: toTools(set), ...(asks && { authorize: decide }) }
}
