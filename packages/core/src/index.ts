export type { BaseUrl } from './base-url.js'
export { parseBaseUrl } from './base-url.js'
export type { Batch, BatchRequest, BatchResult, BatchRunner, BatchStatus } from './batch.js'
export type { Capabilities, Capability, ProviderToolForms } from './capabilities.js'
export type {
  AudioPart,
  Content,
  ContentFields,
  ContentPart,
  FilePart,
  ImagePart,
  MediaSource,
  TextPart,
} from './content.js'
export { textOf, toImagePart, toMediaSource } from './content.js'
export type { ProviderDescription } from './describe-provider.js'
export { attachDescription, describeProvider } from './describe-provider.js'
export type { Embedder, Embeddings, EmbedOptions } from './embedder.js'
export type { ErrorCode, PartialReply, ProviderErrorDetails } from './error.js'
export { configError, isLlmError, isRetryable, LlmError, ProviderError } from './error.js'
export type { FinishReason, StreamEvent } from './event.js'
export type { FileStore, FileUpload, StoredFile } from './file-store.js'
export type { StoredConversation, WireMessage } from './json-forms.js'
export { fromJson, fromWireMessage, toJson, toToolMessage, toWireMessage } from './json-forms.js'
export { longestTimer } from './longest-timer.js'
export { mergeDetails } from './merge-details.js'
export { mergeGenerations } from './merge-generations.js'
export type {
  AssistantMessage,
  ChatMessage,
  MessageFields,
  MessageOrigin,
  SystemMessage,
  ToolMessage,
  UserMessage,
} from './message.js'
export type { ModelProfile } from './model-profile.js'
export type {
  CallOptions,
  OptionValues,
  ResponseFormat,
  ResponseNotice,
  RetryNotice,
  RetryOptions,
} from './options.js'
export { defaultMaxTokens, mergeOptions, withoutNulls } from './options.js'
export type { Cost, CostBound, ModelPrices, PriceTier, TokenPrices } from './prices.js'
export { mostCostOf, usageCostOf, widerBound } from './prices.js'
export type { Generation, Provider } from './provider.js'
export { isProvider } from './provider.js'
export type { Reader, StreamReader, ToolStreamReader } from './reader.js'
export { ReaderBase } from './reader-base.js'
export type { Redact } from './redact.js'
export { createRedact, headerSecrets } from './redact.js'
export type {
  Citation,
  ProviderFile,
  ProviderToolCall,
  ReplyDetails,
  ReplyItem,
  SafetyReport,
  TokenLogprob,
} from './reply-details.js'
export type { RequestOptions } from './request-options.js'
export type { Slot } from './slot.js'
export { inSlot, slotOf } from './slot.js'
export { estimateTokens, tokensPerMessage } from './token-estimate.js'
export type { JsonObject, ToolCall, ToolChoice, ToolDefinition, ToolResult } from './tool.js'
export { asText, isObject, isPollution, pollutes } from './unknown-values.js'
export type { ModelTokenCounts, NamedCounts, TokenCount, TokenCounts, TokenUsage } from './usage.js'
export { addCounts, addUsage, toUsage, zeroCounts } from './usage.js'
export { validateOptions } from './validate.js'
export { wholeText } from './whole-text.js'
