export type { AgentConfig, AgentSetup } from './agents/agent-config.js'
export { createAgents } from './agents/agent-config.js'
export type { AgentSystem, AgentType, SystemCallOptions, SystemContext } from './agents/agent-type.js'
export { AgentTypeRegistry, defineAgentType } from './agents/agent-type.js'
export type { AgentCallOptions, CallerSettings } from './call/settings.js'
export type { CallOutcome, CallSuccess, DialogEvent, FinalRun } from './call/outcome.js'
export type { CallReader } from './call/call-reader.js'
export type { DialogCaller } from './caller/caller.js'
export { createDialogCaller } from './caller/caller.js'
export type { CallFailure, CallLimit, CallSuspension } from './call/call-error.js'
export { AgentCallError } from './call/call-error.js'
export type { JournaledRun } from './call/journaled-run.js'
export type { CallLimits } from './call/limits.js'
export { defaultCallLimits } from './call/limits.js'
export type { CallReport, ReportStep } from './call/reports.js'
export type { CallSignal, CallState } from './call/states.js'
export { transitions } from './call/states.js'
export type { CallTrace, FunctionCall, PromptVersion, TraceEntry } from './call/trace.js'
export { toolCallsOf } from './call/trace.js'
export type { CardRequest, ModelCard } from './card/model-card.js'
export { cardCost, checkCard } from './card/model-card.js'
export type { CalibrationExample, Calibrator, ReliabilityBin } from './classify/calibrate.js'
export { calibrate, describeCalibration } from './classify/calibrate.js'
export type { Classification, ClassifyMethod, ClassifyOptions } from './classify/classification.js'
export type { LabelScores } from './classify/label-scores.js'
export { ClassificationError } from './classify/label-scores.js'
export type { Attachments } from './dialog/dialog.js'
export { Dialog } from './dialog/dialog.js'
export type { DialogNode, Turn } from './dialog/dialog-node.js'
export type { ForkBranch } from './dialog/fork-tree.js'
export { describeForks, forkTree } from './dialog/fork-tree.js'
export type { RestoreOptions, StoredDialog, StoredTurn } from './dialog/stored-dialog.js'
export { choice } from './parse/choice.js'
export type { CustomParserOptions } from './parse/custom.js'
export { custom } from './parse/custom.js'
export type { ReplySchema, SchemaOutput } from './parse/json.js'
export { json } from './parse/json.js'
export type { ParseContext, Parsed, Parser, ParserValue, PartialValue } from './parse/parser.js'
export { ParseError, parseReply } from './parse/parser.js'
export type { ManyParser, TagParsers, TagSettings, TagValues } from './parse/tags.js'
export { many, tags } from './parse/tags.js'
export { text } from './parse/text.js'
export { definePrompt } from './prompt/define-prompt.js'
export { defaultHandlers } from './prompt/handlers.js'
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
  Handler,
  Prompt,
  PromptArgs,
  PromptExtension,
  PromptSettings,
  TurnSettings,
} from './prompt/prompt.js'
export type { PromptProblem, PromptScope } from './prompt/registry.js'
export { PromptRegistry } from './prompt/registry.js'
export type { VendorTool, VendorToolSettings, WhenMissing } from './vendor/vendor-tool.js'
export { computerUse, vendorMcp, webSearch } from './vendor/vendor-tool.js'
