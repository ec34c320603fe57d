export type {
  AgentCardInfo,
  AgentSkillInfo,
  AgentTaskInfo,
  AllowListInfo,
  BudgetInfo,
  CalledSource,
  CallSource,
  ContextBlockInfo,
  ContextInfo,
  DecideCall,
  DoctorStepInfo,
  Exchange,
  HostInfo,
  ModelInfo,
  ProblemInfo,
  RunOrigin,
  RunRecord,
  RunSettings,
  RunStatus,
  RunSummary,
  SourceInfo,
  SourceToolInfo,
  StartRun,
  StudioEvent,
  StudioInfo,
  ToolInfo,
} from './protocol/protocol.js'
export { createDemoModel } from './server/demo.js'
export type { Studio } from './server/studio.js'
export { createStudio } from './server/studio.js'
export type { StudioAgent, StudioAsset, StudioFetch, StudioModel, StudioOptions } from './server/studio-options.js'
export type { StudioStore } from './server/studio-store.js'
export { createMemoryStore } from './server/studio-store.js'
export type { JournalRecord, StoredJournal, StudioJournals } from './server/studio-journals.js'
