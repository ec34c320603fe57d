export type { Action, AgentCallAction, FinalAction, ToolCallAction } from './reply/action.js'
export { actionSchema } from './reply/action.js'
export type { ActionParseDetails } from './reply/action-parse-error.js'
export { ActionParseError } from './reply/action-parse-error.js'
export type { AgentContext, AgentRequest, AgentTarget } from './tools/agent-target.js'
export type { Approval, Authorize, AuthorizeContext, Decision } from './policy/authorize.js'
export type { ActionPrompt, ActionPromptParts } from './reply/action-prompt.js'
export type { ActionMode } from './reply/action-mode.js'
export type { ActionRequest, ActionResult } from './loop/call-action.js'
export { callAction, callActionStream } from './loop/call-action.js'
export type { Panelist } from './loop/combine.js'
export { combine } from './loop/combine.js'
export type { GenerationReader } from './loop/generate-stream.js'
export { generateStream } from './loop/generate-stream.js'
export type { RunEventReader } from './loop/run-reader.js'
export { infer, inferStream } from './loop/infer.js'
export type {
  ActionEvent,
  BudgetEvent,
  CallEvent,
  EffectEvent,
  FailurePhase,
  RunEvent,
  SuspensionEvent,
} from './events/run-event.js'
export type { GivenLimits, RunLimits } from './loop/run-limits.js'
export { defaultLimits } from './loop/run-limits.js'
export type { RunPreset } from './loop/run-preset.js'
export type { AutoCompaction, InferRequest } from './loop/run-request.js'
export type { LimitName, RunMetrics, RunResult } from './loop/run-result.js'
export { orThrow, RunError } from './loop/or-throw.js'
export type { ParsedAction } from './reply/parse-action.js'
export { parseAction } from './reply/parse-action.js'
export type { WireEvent } from './events/wire-event.js'
export { toWireEvents } from './events/wire-event.js'
export type { TextByMode } from './reply/corrections.js'
export type { ActionTargets } from './reply/repair-action.js'
export type { Tool, ToolContext } from './tools/tool.js'
export type { EffectDeclaration, ReconcileOutcome } from './tools/reconcile.js'
export type { RunContext, RunScope } from './tools/run-context.js'
export { PendingResult, pending } from './tools/pending-result.js'
export type { AfterTools, FinalReply, FinishedCall, OutputParser, ParsedOutput } from './loop/output-parser.js'
export type { RunEventSink } from './events/run-event-emitter.js'
export type { GuardState, RunCheckpoint, RunFingerprint, RunTotals, TranscriptReference } from './journal/checkpoint.js'
export { checkpointVersion } from './journal/checkpoint.js'
export type {
  EffectKind,
  JournalEntry,
  RecordedDecision,
  RecordedError,
  RecordedOutcome,
  RecordedReply,
  RunIntent,
  RunReceipt,
} from './journal/journal-entry.js'
export type { JournalTail, RunJournal, TranscriptChange } from './journal/journal.js'
export type {
  PendingApproval,
  PendingItem,
  PendingOutcome,
  PendingTask,
  ResumeDecision,
} from './journal/pending-item.js'
export { JournalError } from './journal/journal-error.js'
export type { MemoryJournal, StoredRun } from './journal/memory-journal.js'
export { createMemoryJournal } from './journal/memory-journal.js'
export type { ResumeProblem } from './journal/resume-error.js'
export { ResumeError } from './journal/resume-error.js'
export type { BudgetSnapshot } from './budget/budget-snapshot.js'
export type { ToolBatchOptions } from './tools/tool-batch.js'
export type { ToolOutcome } from './tools/tool-outcome.js'
export { executeBatch } from './tools/tool-batch.js'
export type { ToolSource } from './tools/tool-source.js'
export { Transcript } from './history/transcript.js'
export type {
  BudgetAmounts,
  BudgetDecision,
  BudgetLedgerOptions,
  CallOutcome,
  CallRequest,
  CallReservation,
  RunBudget,
} from './budget/budget.js'
export { BudgetExceededError, BudgetLedger } from './budget/budget.js'
export type { CapabilityPrice } from './budget/budgeted-capabilities.js'
export { budgetImages, budgetReranker, budgetSpeech, budgetTranscriber } from './budget/budgeted-capabilities.js'
export type { RequestPrice, RequestReservation } from './budget/request-reservation.js'
export { reserveRequest } from './budget/request-reservation.js'
export type { CompactionThreshold } from './history/compaction/automatic.js'
export { compactAbove } from './history/compaction/automatic.js'
export { compact } from './history/compaction/compact.js'
export type {
  CompactionRequest,
  CompactionResult,
  CompactionStrategy,
  CompactionTools,
  Summarize,
  SummaryRequest,
} from './history/compaction/request.js'
export { createSummarizer } from './history/compaction/summary-text.js'
export type { ManifestDiff } from './history/diff-manifests.js'
export { diffManifests } from './history/diff-manifests.js'
export { ConversationHistory } from './history/history.js'
export type { ContextBlock, ContextManifest, ManifestRequest } from './history/manifest.js'
export { createManifest } from './history/manifest.js'
export { messagesTokens, messageTokens, toolTokens } from './history/message-tokens.js'
export type { CallMeasurement, CallMetrics, ContextMetrics, CostMetrics, UsageMetrics } from './budget/metrics.js'
export { callCost, contextUse, measureCall } from './budget/metrics.js'
export type { ToolArguments, ToolParameters, ToolSettings } from './tools/define-tool.js'
export { defineTool } from './tools/define-tool.js'
export type { JsonSchemaOptions, JsonSchemaValidator, Validated } from './schema/json-schema.js'
export { compileJsonSchema } from './schema/json-schema.js'
export { ToolFailure, toToolContent } from './tools/tool-content.js'
export type { CallEnd, Middleware, ProviderCall } from './middleware/provider-call.js'
export { replayReply } from './middleware/turns.js'
export { wrapProvider } from './middleware/wrap-provider.js'
export type { ObjectRequest, ObjectResult } from './output/generate-object.js'
export { generateObject, ObjectError } from './output/generate-object.js'
export { PartialJson } from './output/partial-json.js'
export type { ObjectReader, PartialObject } from './output/stream-object.js'
export { streamObject } from './output/stream-object.js'
