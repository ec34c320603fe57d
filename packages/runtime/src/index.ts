export type { Action, AgentCallAction, FinalAction, ToolCallAction } from './action.js'
export { actionSchema } from './action.js'
export type { ActionParseDetails } from './action-parse-error.js'
export { ActionParseError } from './action-parse-error.js'
export type { AgentContext, AgentRequest, AgentTarget } from './agent-target.js'
export type { Approval, Authorize, AuthorizeContext, Decision } from './authorize.js'
export type { ActionMode } from './action-mode.js'
export { resolveMode } from './action-mode.js'
export type { ActionRequest, ActionResult } from './call-action.js'
export { callAction, callActionStream } from './call-action.js'
export type { Member } from './combine.js'
export { combine } from './combine.js'
export type { GenerationReader } from './generate-stream.js'
export { generateStream } from './generate-stream.js'
export type { RunEventReader } from './infer.js'
export { infer, inferStream } from './infer.js'
export type { ActionEvent, BudgetEvent, CallEvent, EffectEvent, FailurePhase, RunEvent } from './run-event.js'
export type { RunLimits } from './run-limits.js'
export { defaultLimits } from './run-limits.js'
export type { PresetName, RunPreset } from './run-preset.js'
export { presets } from './run-preset.js'
export type { AutoCompaction, InferRequest } from './run-request.js'
export type { LimitName, RunMetrics, RunResult } from './run-result.js'
export type { ParsedAction } from './parse-action.js'
export { parseAction } from './parse-action.js'
export { toWireEvent } from './wire-event.js'
export type { ActionTargets } from './repair-action.js'
export type { Tool, ToolContext, Validated } from './tool.js'
export type { ToolBatchOptions, ToolOutcome } from './tool-batch.js'
export { executeBatch } from './tool-batch.js'
export type { ToolSource } from './tool-source.js'
export { Transcript } from './transcript.js'
export type {
  BudgetAmounts,
  BudgetDecision,
  BudgetLedgerOptions,
  CallOutcome,
  CallRequest,
  CallReservation,
  RunBudget,
} from './budget.js'
export { BudgetExceededError, BudgetLedger } from './budget.js'
export type { CompactionThreshold } from './compaction/automatic.js'
export { compactAbove } from './compaction/automatic.js'
export { compact } from './compaction/compact.js'
export type {
  CompactionRequest,
  CompactionResult,
  CompactionStrategy,
  CompactionTools,
  Summarize,
  SummaryRequest,
} from './compaction/request.js'
export { createSummarizer } from './compaction/summary-text.js'
export type { ManifestDiff } from './diff-manifests.js'
export { diffManifests } from './diff-manifests.js'
export { ConversationHistory } from './history.js'
export type { ContextBlock, ContextManifest, ManifestRequest } from './manifest.js'
export { createManifest } from './manifest.js'
export { messagesTokens, messageTokens, toolTokens } from './message-tokens.js'
export type { CallMeasurement, CallMetrics, ContextMetrics, CostMetrics, UsageMetrics } from './metrics.js'
export { callCost, contextUse, measureCall } from './metrics.js'
export type { ToolArguments, ToolParameters, ToolSettings } from './define-tool.js'
export { defineTool } from './define-tool.js'
export type { JsonSchemaOptions, JsonSchemaValidator } from './json-schema.js'
export { compileJsonSchema } from './json-schema.js'
export { ToolFailure, toToolContent } from './tool-content.js'
