export type { AgentCallAction, ToolCallAction } from './reply/action.js'
export type { AgentContext, AgentRequest, AgentTarget } from './tools/agent-target.js'
export type { Approval, Authorize, Decision } from './policy/authorize.js'
export type { ActionMode } from './reply/action-mode.js'
export { type ActionRequest, type ActionResult, callAction, callActionStream } from './loop/call-action.js'
export { type Panelist, combine } from './loop/combine.js'
export { type GenerationReader, generateStream } from './loop/generate-stream.js'
export type { RunEventReader } from './loop/run-reader.js'
export { infer, inferStream } from './loop/infer.js'
export type { RunEvent } from './events/run-event.js'
export { type GivenLimits, type RunLimits, defaultRunLimits } from './loop/run-limits.js'
export type { RunPreset } from './loop/run-preset.js'
export type { AutoCompaction, InferRequest } from './loop/run-request.js'
export type { LimitName, RunResult } from './loop/run-result.js'
export { orThrow, RunError } from './loop/or-throw.js'
export { type ParsedAction, parseAction } from './reply/parse-action.js'
export type { Tool, ToolContext } from './tools/tool.js'
export type { RunContext, RunScope } from './tools/run-context.js'
export { type PendingResult, pending } from './tools/pending-result.js'
export type { AfterTools, FinalReply, FinishedCall, OutputParser, ParsedOutput } from './loop/output-parser.js'
export type { RunEventSink } from './events/run-event-emitter.js'
export type { RunCheckpoint } from './journal/checkpoint.js'
export type { JournalEntry, RunIntent, RunReceipt } from './journal/journal-entry.js'
export type { JournalTail, RunJournal, TranscriptChange } from './journal/journal.js'
export type { PendingItem, PendingOutcome, ResumeDecision } from './journal/pending-item.js'
export { JournalError } from './journal/journal-error.js'
export { type MemoryJournal, createMemoryJournal } from './journal/memory-journal.js'
export { type ResumeProblem, ResumeError } from './journal/resume-error.js'
export type { BudgetSnapshot } from './budget/budget-snapshot.js'
export type { ToolBatchOptions } from './tools/tool-batch.js'
export type { ToolOutcome } from './tools/tool-outcome.js'
export { executeBatch } from './tools/tool-batch.js'
export type { ToolSource } from './tools/tool-source.js'
export { Transcript } from './history/transcript.js'
export {
  type BudgetAmounts,
  type BudgetDecision,
  type BudgetLedgerOptions,
  type CallRequest,
  type CallReservation,
  type RunBudget,
  BudgetExceededError,
  BudgetLedger,
} from './budget/budget.js'
export {
  type CapabilityPrice,
  budgetImages,
  budgetReranker,
  budgetSpeech,
  budgetTranscriber,
} from './budget/budgeted-capabilities.js'
export { compactAbove } from './history/compaction/automatic.js'
export { compact } from './history/compaction/compact.js'
export type { CompactionRequest, CompactionResult, CompactionTools, Summarize } from './history/compaction/request.js'
export { createSummarizer } from './history/compaction/summary-text.js'
export { type ManifestDiff, diffManifests } from './history/diff-manifests.js'
export { ConversationHistory } from './history/history.js'
export { type ContextBlock, type ContextManifest, type ManifestRequest, createManifest } from './history/manifest.js'
export { messagesTokens } from './history/message-tokens.js'
export type { CallMetrics } from './budget/metrics.js'
export { type ToolParameters, type ToolSettings, defineTool } from './tools/define-tool.js'
export {
  type JsonSchemaOptions,
  type JsonSchemaValidator,
  type Validated,
  compileJsonSchema,
} from './schema/json-schema.js'
export { ToolFailure, toToolContent } from './tools/tool-content.js'
export type { Middleware, ProviderCall } from './middleware/provider-call.js'
export { replayReply } from './middleware/turns.js'
export { wrapProvider } from './middleware/wrap-provider.js'
export { type ObjectRequest, type ObjectResult, generateObject, ObjectError } from './output/generate-object.js'
export { type ObjectReader, streamObject } from './output/stream-object.js'
