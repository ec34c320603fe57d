export type { AllowListInfo } from './protocol/checks.js'
export type { PendingCall, QuestionInfo } from './protocol/pending-call.js'
export type {
  AgentTaskInfo,
  BudgetInfo,
  DoctorStepInfo,
  Exchange,
  HostInfo,
  ModelInfo,
  RunOrigin,
  RunRecord,
  RunSettings,
  RunStatus,
  RunSummary,
  RunTree,
  SourceInfo,
  StartRun,
  StudioEvent,
  StudioInfo,
  ToolInfo,
} from './protocol/protocol.js'
export type {
  RunGrouping,
  RunGroupTotals,
  RunNames,
  RunQuery,
  RunSort,
} from './protocol/run-query.js'
export type { RequestAbout, SentRequest } from './protocol/sent-request.js'
export type { StoredInfo, StoredWait } from './protocol/stored.js'
export type { TraceSpan } from './protocol/trace-span.js'
export { createDemoModel } from './server/demo.js'
export { createStudio, type Studio } from './server/studio.js'
export type {
  StudioAgent,
  StudioAsset,
  StudioFetch,
  StudioModel,
  StudioOptions,
} from './server/studio-options.js'
export type { JournalRecord, StoredJournal, StudioJournals } from './store/studio-journals.js'
export type { StudioStore } from './store/studio-store.js'
