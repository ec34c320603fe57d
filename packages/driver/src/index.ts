export { decodeBase64 } from './base/base64.js'
export type { ByteSource, ChunkCallbacks } from './base/byte-source.js'
export { toByteSource } from './base/byte-source.js'
export type { Clock } from './base/clock.js'
export { systemClock } from './base/clock.js'
export { defined } from './base/defined.js'
export type {
  Decoder,
  Driver,
  DriverIo,
  Fetch,
  FrameFormat,
  HttpFailure,
  InBandFailure,
  ResponseFacts,
  Sink,
  ToolCallDelta,
  Turn,
  WireRecord,
  WrittenText,
} from './base/driver.js'
export { firstMatch } from './base/first-match.js'
export { atReference, toPointerPart } from './base/json-pointer.js'
export type { ResponseLimits, Timeouts } from './base/limits.js'
export { memoizeLatest } from './base/memoize-latest.js'
export { namedError } from './base/named-error.js'
export { parseJson } from './base/parse-json.js'
export { TextBuffer } from './base/text-buffer.js'
export { countOf, dateOf, listOf, stringOf } from './base/wire-values.js'
export { checkApiKey } from './config/api-key.js'
export { requireConfig } from './config/check-config.js'
export type { CommonConfig, ProviderSettings } from './config/config.js'
export { RecentSecrets } from './config/recent-secrets.js'
export type { RetryBucket } from './config/retry.js'
export type { NamedTexts, UploadBody, UploadFrame, UploadTarget } from './exchange/upload-body.js'
export { type FailureFacts, toErrorCode, toProviderError } from './failure/http-failure.js'
export type { CountDriver, JsonDriver } from './provider/count-tokens.js'
export { countTokens } from './provider/count-tokens.js'
export type { BatchDriver, BatchItem, BatchLine } from './provider/create-batch-runner.js'
export { createBatchRunner } from './provider/create-batch-runner.js'
export type { EmbedderDriver, EmbeddingBatch } from './provider/create-embedder.js'
export { createEmbedder } from './provider/create-embedder.js'
export type { FileStoreDriver } from './provider/create-file-store.js'
export { createFileStore } from './provider/create-file-store.js'
export { createProvider } from './provider/create-provider.js'
export type { EndpointClient, EndpointRequest } from './provider/endpoint-client.js'
export { createEndpointClient } from './provider/endpoint-client.js'
export { estimatePrompt } from './provider/estimate-prompt.js'
export type { NeutralRecord, NeutralSource } from './provider/neutral-wire.js'
export { createNeutralDecoder, toNeutralError, toNeutralResponse } from './provider/neutral-wire.js'
export { postJson } from './provider/post.js'
export { resolveCapabilities } from './provider/resolve-capabilities.js'
export { proxySecrets } from './transport/proxy.js'
export { createTransport } from './transport/transport.js'
export { argumentsOf, argumentsTextOf, isSameJson } from './turn/call-arguments.js'
export { withoutEmptyReplies } from './turn/empty-replies.js'
export { toHeldSchema, withDescribedLengths } from './turn/held-schema.js'
export type { ToolCallIdRule } from './turn/tool-call-ids.js'
export { mapToolCallIds } from './turn/tool-call-ids.js'
export { withVendor } from './turn/vendor-fields.js'
