export {
  loadPrompts,
  type PromptFolder,
  readPrompts,
  type UnreadablePrompt,
} from './node/node-prompts.js'
export { createReportWriter, type ReportWriterOptions } from './node/node-reports.js'
export type { PromptFileOptions } from './prompt/prompt-file.js'
export { PromptFileError, type PromptFileProblem } from './prompt/prompt-file-error.js'
