import type { CallOptions, ResponseFormat, RetryOptions } from './options.js'
import type { JsonObject, ToolChoice, ToolDefinition } from './tool.js'

/** `{ system }` */
export const withSystem = (system: string): CallOptions => ({ system })
/** `{ maxTokens }` */
export const withMaxTokens = (maxTokens: number): CallOptions => ({ maxTokens })
/** `{ temperature }` */
export const withTemperature = (temperature: number): CallOptions => ({ temperature })
/** `{ topP }` */
export const withTopP = (topP: number): CallOptions => ({ topP })
/** `{ topK }` */
export const withTopK = (topK: number): CallOptions => ({ topK })
/** `{ stop }` */
export const withStop = (...stop: readonly string[]): CallOptions => ({ stop })
/** `{ seed }` */
export const withSeed = (seed: number): CallOptions => ({ seed })
/** `{ tools }` */
export const withTools = (...tools: readonly ToolDefinition[]): CallOptions => ({ tools })
/** `{ toolChoice }` */
export const withToolChoice = (toolChoice: ToolChoice): CallOptions => ({ toolChoice })
/** `{ parallelToolCalls }` */
export const withParallelToolCalls = (parallelToolCalls: boolean): CallOptions => ({ parallelToolCalls })
/** `{ responseFormat }` */
export const withResponseFormat = (responseFormat: ResponseFormat): CallOptions => ({ responseFormat })
/** `{ reasoning }` */
export const withReasoning = (reasoning: 'none' | 'low' | 'medium' | 'high'): CallOptions => ({ reasoning })
/** `{ cache }` */
export const withCache = (cache: 'auto' | 'hour' | 'none'): CallOptions => ({ cache })
/** `{ topLogprobs }` */
export const withTopLogprobs = (topLogprobs: number): CallOptions => ({ topLogprobs })
/** `{ providerTools }` */
export const withProviderTools = (...providerTools: readonly JsonObject[]): CallOptions => ({ providerTools })
/** `{ vendor }` */
export const withVendor = (vendor: JsonObject): CallOptions => ({ vendor })
/** `{ signal }` */
export const withSignal = (signal: AbortSignal): CallOptions => ({ signal })
/** `{ deadlineMs }` */
export const withDeadline = (deadlineMs: number): CallOptions => ({ deadlineMs })
/** `{ retry }` */
export const withRetry = (retry: RetryOptions): CallOptions => ({ retry })
