export { canonicalHash } from './base/json-hash.js'
export type { LimitName } from './base/limit-name.js'
export {
  type BudgetDecision,
  BudgetExceededError,
  BudgetLedger,
  type RunBudget,
} from './budget/budget.js'
export type { BudgetSnapshot } from './budget/budget-snapshot.js'
export type { CallMetrics } from './budget/metrics.js'
export type { RunEvent } from './events/run-event.js'
export type { RunEventSink } from './events/run-event-emitter.js'
export { compactAbove } from './history/compaction/automatic.js'
export { compact } from './history/compaction/compact.js'
export type { CompactionRequest, CompactionResult } from './history/compaction/request.js'
export { createSummarizer } from './history/compaction/summary-text.js'
export { ConversationHistory } from './history/history.js'
export { type ContextBlock, type ContextManifest, createManifest } from './history/manifest.js'
export { messagesTokens } from './history/message-tokens.js'
export { Transcript } from './history/transcript.js'
export type { RunCheckpoint } from './journal/checkpoint.js'
export type { JournalTail, RunJournal, TranscriptChange } from './journal/journal.js'
export type { JournalEntry, RunIntent, RunReceipt } from './journal/journal-entry.js'
export { JournalError } from './journal/journal-error.js'
export { createMemoryJournal, type MemoryJournal } from './journal/memory-journal.js'
export type {
  PendingItem,
  PendingOutcome,
  PendingQuestion,
  ResumeDecision,
} from './journal/pending-item.js'
export { ResumeError } from './journal/resume-error.js'
export {
  type ActionRequest,
  type ActionResult,
  callAction,
  callActionStream,
} from './loop/call-action.js'
export { combine, type Panelist } from './loop/combine.js'
export { type Flow, parallel, repeatUntil, route, sequence } from './loop/flow.js'
export { type GenerationReader, generateStream } from './loop/generate-stream.js'
export { infer, inferStream } from './loop/infer.js'
export { type OrThrowOptions, orThrow, RunError } from './loop/or-throw.js'
export type {
  AfterTools,
  FinalReply,
  FinishedCall,
  OutputParser,
  ParsedOutput,
} from './loop/output-parser.js'
export { checkDecisions } from './loop/resume.js'
export { defaultRunLimits, type GivenLimits, type RunLimits } from './loop/run-limits.js'
export type { RunPreset } from './loop/run-preset.js'
export type { RunEventReader } from './loop/run-reader.js'
export type { AutoCompaction, InferRequest } from './loop/run-request.js'
export type { RunResult } from './loop/run-result.js'
export type { StopWhen } from './loop/step-view.js'
export { hasToolCall, stepCountIs } from './loop/stop-when.js'
export type { Middleware, ProviderCall } from './middleware/provider-call.js'
export { replayReply } from './middleware/turns.js'
export { wrapProvider } from './middleware/wrap-provider.js'
export {
  generateObject,
  ObjectError,
  type ObjectRequest,
  type ObjectResult,
} from './output/generate-object.js'
export { type ObjectReader, streamObject } from './output/stream-object.js'
export type { Approval, Authorize, Decision } from './policy/authorize.js'
export type { AgentCallAction, ToolCallAction } from './reply/action.js'
export type { ActionMode } from './reply/action-mode.js'
export { type ParsedAction, parseAction } from './reply/parse-action.js'
export {
  compileJsonSchema,
  type JsonSchemaValidator,
  type Validated,
} from './schema/json-schema.js'
export type { AgentContext, AgentRequest, AgentTarget } from './tools/agent-target.js'
export { checkAnswer } from './tools/asking.js'
export { defineTool, type ToolSettings } from './tools/define-tool.js'
export { fromModelOutput, fromModelPart } from './tools/model-output.js'
export { OutcomeUnknown } from './tools/outcome-unknown.js'
export { pending } from './tools/pending-result.js'
export type { Answer, Ask, Question, StoredQuestion } from './tools/question.js'
export type { ApplicationTypes, RunContext, RunScope } from './tools/run-context.js'
export type { Tool, ToolContext } from './tools/tool.js'
export type { ToolBatchOptions } from './tools/tool-batch.js'
export { executeBatch } from './tools/tool-batch.js'
export { ToolFailure, toToolContent } from './tools/tool-content.js'
export type { ToolOutcome } from './tools/tool-outcome.js'
export type { ToolSource } from './tools/tool-source.js'
