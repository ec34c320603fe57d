export { canonicalHash } from './base/json-hash.js'
export type { LimitName } from './base/limit-name.js'
export {
  anonymousPrincipal,
  checkPrincipal,
  localPrincipal,
  operatorPrincipal,
  type Principal,
  parsePrincipal,
  toPrincipalText,
  webhookPrincipal,
} from './base/principal.js'
export {
  type BudgetAmounts,
  type BudgetDecision,
  BudgetExceededError,
  BudgetLedger,
  type BudgetLedgerOptions,
  type RunBudget,
} from './budget/budget.js'
export type { BudgetSnapshot, SpentAmounts } from './budget/budget-snapshot.js'
export type {
  BudgetDefinition,
  BudgetPlace,
  BudgetQueue,
  BudgetRow,
  BudgetTable,
  BudgetTake,
} from './budget/budget-table.js'
export { longestCallMs } from './budget/budget-table.js'
export type { BudgetWindow } from './budget/budget-window.js'
export type { CallReservation, ReservationRequest, SettledCall } from './budget/call-reservation.js'
export { createMemoryBudgets } from './budget/memory-budgets.js'
export type {
  CacheBreakCause,
  CallMetrics,
  ContextMetrics,
  CostMetrics,
  UsageMetrics,
} from './budget/metrics.js'
export type { NamedBudget } from './budget/run-budget.js'
export type {
  BudgetAuthor,
  BudgetCharge,
  BudgetDesk,
  BudgetSettlement,
  BudgetState,
  ChargedAmounts,
  ChargedOwner,
  SharedAmounts,
  SharedBudget,
  SharedLimits,
  SomeAmounts,
} from './budget/shared-budget.js'
export type { SharedBudgetOptions, SharedBudgets } from './budget/shared-budgets.js'
export { StoredBudgets } from './budget/stored-budgets.js'
export type {
  ActionEvent,
  ActionEventFields,
  AgentEventFields,
  BudgetEvent,
  CallEvent,
  CallEventFields,
  DeltaEventFields,
  EffectEvent,
  FailurePhase,
  LimitEvent,
  RunEvent,
  RunEventFields,
  SuspensionEvent,
  ToolEventFields,
} from './events/run-event.js'
export type { RunEventSink } from './events/run-event-emitter.js'
export type { CacheBreak } from './history/cache-watch.js'
export { type CompactionThreshold, compactAbove } from './history/compaction/automatic.js'
export { compact } from './history/compaction/compact.js'
export type {
  CompactionRequest,
  CompactionResult,
  CompactionStrategy,
  CompactionTools,
  Summarize,
  SummaryRequest,
} from './history/compaction/request.js'
export { diffManifests, type ManifestChange, type ManifestDiff } from './history/diff-manifests.js'
export { ConversationHistory } from './history/history.js'
export {
  type ContextBlock,
  type ContextManifest,
  createManifest,
  type ManifestRequest,
} from './history/manifest.js'
export { messagesTokens } from './history/message-tokens.js'
export { Transcript } from './history/transcript.js'
export type {
  GuardState,
  RunCheckpoint,
  RunFingerprint,
  RunTotals,
  TranscriptReference,
} from './journal/checkpoint.js'
export type { Effect, Engine, EngineWait, Performed } from './journal/engine.js'
export type { JournalTail, RunJournal, TranscriptChange } from './journal/journal.js'
export type {
  EffectKind,
  JournalEntry,
  JournalEntryFields,
  RecordedDecision,
  RecordedError,
  RecordedOutcome,
  RecordedReply,
  RunIntent,
  RunReceipt,
} from './journal/journal-entry.js'
export { JournalError } from './journal/journal-error.js'
export {
  createMemoryJournal,
  type MemoryJournal,
  type ResumableRun,
} from './journal/memory-journal.js'
export type {
  PendingApproval,
  PendingItem,
  PendingItemFields,
  PendingOutcome,
  PendingQuestion,
  PendingTask,
  ResumeDecision,
} from './journal/pending-item.js'
export { ResumeError, type ResumeProblem } from './journal/resume-error.js'
export type { StepChoice } from './journal/step-choice.js'
export {
  type ActionRequest,
  type ActionResult,
  callAction,
  callActionStream,
} from './loop/around/call-action.js'
export { combine, type Panelist } from './loop/around/combine.js'
export {
  type Flow,
  type FlowOptions,
  parallel,
  repeatUntil,
  route,
  sequence,
} from './loop/around/flow.js'
export { type GenerationReader, generateStream } from './loop/around/generate-stream.js'
export { type ProviderBudgetOptions, withBudget } from './loop/around/with-budget.js'
export type { Handoff } from './loop/request/handoff.js'
export type {
  AfterTools,
  FinalReply,
  FinishedCall,
  OutputParser,
  ParsedOutput,
} from './loop/request/output-parser.js'
export { defaultRunLimits, type GivenLimits, type RunLimits } from './loop/request/run-limits.js'
export type { RunPreset } from './loop/request/run-preset.js'
export type {
  AutoCompaction,
  GivenCall,
  InferRequest,
  RunBounds,
  RunDurability,
  RunObservers,
} from './loop/request/run-request.js'
export type { EndedStep, PrepareStep, StepView, StopWhen } from './loop/request/step-view.js'
export { hasToolCall, stepCountIs } from './loop/request/stop-when.js'
export { type OrThrowOptions, orThrow, RunError } from './loop/result/or-throw.js'
export type { RunEventReader } from './loop/result/run-reader.js'
export type {
  OutputField,
  RunMetrics,
  RunResult,
  RunResultFields,
} from './loop/result/run-result.js'
export { createSummarizer } from './loop/run/create-summarizer.js'
export { infer, inferStream, type RunOutput } from './loop/run/infer.js'
export { checkDecisions } from './loop/state/resume.js'
export type { CallEnd, Middleware, ProviderCall } from './middleware/provider-call.js'
export { replayReply } from './middleware/turns.js'
export { wrapProvider } from './middleware/wrap-provider.js'
export {
  generateObject,
  ObjectError,
  type ObjectRequest,
  type ObjectResult,
} from './output/generate-object.js'
export { type ObjectReader, type PartialObject, streamObject } from './output/stream-object.js'
export type { Approval, Authorize, AuthorizeContext, Decision } from './policy/authorize.js'
export type { Action, AgentCallAction, FinalAction, ToolCallAction } from './reply/action.js'
export type { ActionMode } from './reply/action-mode.js'
export type { ActionPrompt, ActionPromptParts } from './reply/action-prompt.js'
export type { TextByMode } from './reply/corrections.js'
export { delegationNames } from './reply/delegation.js'
export { type ParsedAction, parseAction } from './reply/parse-action.js'
export type { ActionTargets } from './reply/repair-action.js'
export {
  compileJsonSchema,
  type JsonSchemaOptions,
  type JsonSchemaValidator,
  type Validated,
} from './schema/json-schema.js'
export type {
  IsRequiredField,
  SchemaFields,
  SchemaObject,
  SchemaTypes,
  SchemaTypeValue,
  SchemaValue,
} from './schema/schema-value.js'
export type { AgentContext, AgentRequest, AgentTarget } from './tools/agent-target.js'
export { checkAnswer } from './tools/asking.js'
export { defineTool, type ToolHints, type ToolSettings } from './tools/define-tool.js'
export type { ForeignTool, ToolSet } from './tools/foreign-tool.js'
export { fromModelOutput, fromModelPart } from './tools/model-output.js'
export { OutcomeUnknown, saysOutcomeUnknown } from './tools/outcome-unknown.js'
export { PendingResult, pending } from './tools/pending-result.js'
export type { Answer, Ask, Question, StoredQuestion } from './tools/question.js'
export type { EffectDeclaration, ReconcileOutcome } from './tools/reconcile.js'
export type {
  ApplicationContext,
  ApplicationTypes,
  RunContext,
  RunScope,
  Webhook,
  WebhookCall,
} from './tools/run-context.js'
export type { Tool, ToolContext } from './tools/tool.js'
export type { ToolBatchOptions } from './tools/tool-batch.js'
export { executeBatch } from './tools/tool-batch.js'
export { isToolFailure, ToolFailure, toToolContent } from './tools/tool-content.js'
export type { ToolOutcome } from './tools/tool-outcome.js'
export type { ToolArguments, ToolParameters } from './tools/tool-parameters.js'
export type { ToolSource } from './tools/tool-source.js'
