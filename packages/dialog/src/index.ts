export type { AgentConfig } from './agents/agent-config.js'
export type { AgentEntry } from './agents/agent-entry.js'
export {
  type AgentSystem,
  type AgentType,
  defineAgentType,
  type SystemCallOptions,
  type SystemContext,
} from './agents/agent-type.js'
export { type AgentSetup, createAgents } from './agents/create-agents.js'
export {
  AgentCallError,
  type CallFailure,
  type CallLimit,
  type CallSuspension,
} from './call/call-error.js'
export type { CallReader } from './call/call-reader.js'
export type { JournaledRun } from './call/journaled-run.js'
export type { CallLimits } from './call/limits.js'
export type { CallOutcome, CallSuccess, DialogEvent, FinalRun } from './call/outcome.js'
export type { CallReport, ReportStep } from './call/reports.js'
export type { AgentCallOptions, CallerSettings, DurableCall } from './call/settings.js'
export type { CallState } from './call/states.js'
export {
  type CallTrace,
  type FunctionCall,
  type PromptVersion,
  type TraceEntry,
  toolCallsOf,
} from './call/trace.js'
export { createDialogCaller, type DialogCaller } from './caller/caller.js'
export type { ModelCard } from './card/model-card.js'
export type { Classification, ClassifyMethod, ClassifyOptions } from './classify/classification.js'
export { ClassificationError, type LabelScores } from './classify/label-scores.js'
export { type Attachments, Dialog, type SendParameters } from './dialog/dialog.js'
export type { DialogNode, PromptTurn } from './dialog/dialog-node.js'
export { describeForks } from './dialog/fork-tree.js'
export type { RestoreOptions, StoredDialog, StoredTurn } from './dialog/stored-dialog.js'
export { choice } from './parse/choice.js'
export { type CustomParserOptions, custom } from './parse/custom.js'
export { json, type ReplySchema, type SchemaOutput } from './parse/json.js'
export {
  type ParseContext,
  type Parsed,
  ParseError,
  type Parser,
  type ParserValue,
} from './parse/parser.js'
export {
  type ManyParser,
  many,
  type ParsedValues,
  type SignalNames,
  type TagParsers,
  type TagSettings,
  type TagValues,
  tags,
} from './parse/tags.js'
export { text } from './parse/text.js'
export { definePrompt } from './prompt/define-prompt.js'
export type {
  ArgsParameter,
  PlaceholderNames,
  TemplateArgs,
  TemplateValue,
  TemplateValues,
} from './prompt/placeholders.js'
export type {
  AnyPrompt,
  BasePrompt,
  FilledPrompt,
  Prompt,
  PromptArgs,
  PromptExtension,
  PromptSettings,
  TurnHandler,
  TurnSettings,
} from './prompt/prompt.js'
export { type PromptProblem, PromptRegistry, type PromptScope } from './prompt/registry.js'
export {
  computerUse,
  type VendorTool,
  type VendorToolSettings,
  vendorMcp,
  type WhenMissing,
  webSearch,
} from './vendor/vendor-tool.js'
