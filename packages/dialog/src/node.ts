export { loadPrompts, readPrompts } from './node/node-prompts.js'
export { createReportWriter } from './node/node-reports.js'
export { PromptFileError } from './prompt/prompt-file-error.js'
