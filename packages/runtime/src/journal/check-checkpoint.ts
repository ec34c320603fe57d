import { isObject } from '@modelport/core'
import { isSnapshot } from '../budget/budget-snapshot.js'
import { checkpointVersion } from './checkpoint.js'
import { ResumeError } from './resume-error.js'

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isFlag: Check = (value) => typeof value === 'boolean'
const isCount: Check = (value) => typeof value === 'number' && value >= 0 && value < Infinity
const isUnset: Check = (value) => value === undefined
const either =
  (...checks: readonly Check[]): Check =>
  (value) =>
    checks.some((check) => check(value))
const oneOf =
  (...known: readonly string[]): Check =>
  (value) =>
    known.includes(value as string)
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const named: Check = (value) => isObject(value) && Object.values(value).every(isText)
const counts: Check = (value) => isObject(value) && Object.values(value).every(isCount)
const shape =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([name, check]) => check(value[name]))

const isAction = either(
  shape({ type: oneOf('tool_call'), tool: isText, args: isObject }),
  shape({ type: oneOf('agent_call'), agent: isText }),
)
const isError = either(isUnset, shape({ code: isText, message: isText }))
const isUsage = shape({ turns: listOf(isObject), inputTokens: isCount, outputTokens: isCount })

const isPending = either(
  shape({
    type: oneOf('approval'),
    id: isText,
    action: isAction,
    digest: isText,
    expiresAt: either(isUnset, isCount),
  }),
  shape({
    type: oneOf('task', 'wait'),
    id: isText,
    action: isAction,
    taskId: isText,
    until: either(isUnset, isCount),
  }),
  shape({
    type: oneOf('question'),
    id: isText,
    action: isAction,
    digest: isText,
    question: shape({ message: isText }),
  }),
  shape({
    type: oneOf('uncertain'),
    id: isText,
    action: isAction,
    idempotencyKey: isText,
    attempt: either(isUnset, isCount),
  }),
)

const isReply = shape({
  message: shape({ role: oneOf('assistant'), content: either(isText, Array.isArray) }),
  finishReason: isText,
  usage: isUsage,
  metrics: isObject,
})

const isEntry: Check = (value) =>
  shape({ key: isText, step: isCount, attempt: isCount, seq: isCount, budget: isSnapshot })(
    value,
  ) &&
  either(
    shape({
      entry: oneOf('intent'),
      kind: oneOf('model', 'summary'),
      inputTokens: isCount,
      maxOutputTokens: isCount,
    }),
    shape({
      entry: oneOf('intent'),
      kind: oneOf('authorization', 'tool', 'agent'),
      callId: isText,
      action: isAction,
    }),
    shape({ entry: oneOf('receipt'), kind: oneOf('step'), choice: isObject }),
    shape({
      entry: oneOf('receipt'),
      kind: oneOf('model'),
      reply: either(isUnset, isReply),
      error: isError,
    }),
    shape({
      entry: oneOf('receipt'),
      kind: oneOf('summary'),
      text: either(isUnset, isText),
      error: isError,
    }),
    shape({
      entry: oneOf('receipt'),
      kind: oneOf('authorization'),
      callId: isText,
      decision: shape({ effect: oneOf('allow', 'deny', 'require-approval') }),
    }),
    shape({
      entry: oneOf('receipt'),
      kind: oneOf('tool', 'agent'),
      callId: isText,
      outcome: shape({
        status: isText,
        content: either(isText, Array.isArray),
        latencyMs: isCount,
        question: either(
          isUnset,
          shape({ message: isText, digest: isText, answer: either(isUnset, isObject) }),
        ),
      }),
    }),
  )(value)

const fields: Readonly<Record<string, Check>> = {
  runId: isText,
  step: isCount,
  phase: oneOf('step', 'model'),
  fingerprint: shape({
    model: isText,
    mode: oneOf('native', 'json', 'text'),
    tools: named,
    agents: named,
    prompts: named,
    limits: named,
    policy: isText,
  }),
  transcript: shape({ length: isCount, digest: isText }),
  guards: shape({
    recentActions: listOf(isText),
    knownResults: listOf(isText),
    repeats: isCount,
    parseFailures: isCount,
    idleSteps: isCount,
    asked: either(isUnset, counts),
    uncertain: either(isUnset, counts),
  }),
  choice: either(isUnset, isObject),
  agent: either(isUnset, isText),
  found: either(isUnset, listOf(isText)),
  formatLevel: isCount,
  failuresFrom: either(isUnset, isCount),
  compacted: isFlag,
  requests: isCount,
  attempt: isCount,
  usage: isUsage,
  text: isText,
  totals: shape({
    modelCalls: isCount,
    executedActions: isCount,
    failedActions: isCount,
    latencyMs: isCount,
    cost: either(isUnset, isCount),
  }),
  budget: isSnapshot,
  seq: isCount,
  entries: listOf(isEntry),
  pending: listOf(isPending),
}

/**
 * Holds a stored checkpoint to its version and its form.
 * @throws {ResumeError} `version`, `damaged`
 */
export function checkCheckpoint(stored: object): void {
  const found = stored as Readonly<Record<string, unknown>>
  if (found['version'] !== checkpointVersion)
    throw new ResumeError(
      'version',
      `resume: the checkpoint has version ${JSON.stringify(found['version'])}, and this package reads version ${checkpointVersion}`,
    )
  const wrong = Object.keys(fields).find((name) => !fields[name]?.(found[name]))
  if (wrong !== undefined)
    throw new ResumeError(
      'damaged',
      `resume: "${wrong}" of the checkpoint is damaged; give the checkpoint as it was stored, or an earlier one`,
    )
}
