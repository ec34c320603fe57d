export type {
  AllowListInfo,
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
  RunStatus,
  RunSummary,
  StartRun,
  StudioEvent,
  StudioInfo,
  ToolInfo,
} from './protocol/protocol.js'
export { createDemoModel, demoTools } from './server/demo.js'
export type { Studio } from './server/studio.js'
export { createStudio } from './server/studio.js'
export type { StudioAsset, StudioFetch, StudioModel, StudioOptions } from './server/studio-options.js'
export type { StudioStore } from './server/studio-store.js'
export { createMemoryStore } from './server/studio-store.js'
