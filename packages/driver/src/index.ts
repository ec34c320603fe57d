export { checkApiKey } from './api-key.js'
export type { ByteSource } from './byte-source.js'
export { toByteSource } from './byte-source.js'
export { requireConfig } from './check-config.js'
export type { Clock } from './clock.js'
export { systemClock } from './clock.js'
export type { CommonConfig, ProviderSettings } from './config.js'
export type { CountDriver, JsonDriver } from './count-tokens.js'
export { countTokens } from './count-tokens.js'
export type { EmbedderDriver, EmbeddingBatch } from './create-embedder.js'
export type { BatchDriver, BatchItem, BatchLine } from './create-batch-runner.js'
export { createBatchRunner } from './create-batch-runner.js'
export { createEmbedder } from './create-embedder.js'
export { createProvider } from './create-provider.js'
export type {
  Decoder,
  Driver,
  DriverIo,
  Fetch,
  HttpFailure,
  InBandFailure,
  Sink,
  ToolCallDelta,
  Turn,
  WireRecord,
  WrittenText,
} from './driver.js'
export type { EndpointClient, EndpointRequest, ResponseBytes } from './endpoint-client.js'
export { createEndpointClient } from './endpoint-client.js'
export { estimatePrompt } from './estimate-prompt.js'
export { decodeBase64, imageTypeOf, toBase64 } from './media-types.js'
export { memoizeLatest } from './memoize-latest.js'
export type { FormField } from './form-body.js'
export type { Framer } from './framer.js'
export type { FramerChoice } from './framing.js'
export { createFramer } from './framing.js'
export type { FailureFacts } from './http-failure.js'
export { firstMatch } from './first-match.js'
export { toErrorCode, toProviderError } from './http-failure.js'
export type { JsonCallOptions, JsonClient, JsonRequest } from './json-client.js'
export { createJsonClient } from './json-client.js'
export type { Limits, Timeouts } from './limits.js'
export { defaultLimits, defaultTimeouts } from './limits.js'
export type { NeutralRecord, NeutralSource } from './neutral-wire.js'
export { createNeutralDecoder, toNeutralError, toNeutralResponse } from './neutral-wire.js'
export { parseJson, tryParseJson } from './parse-json.js'
export { postJson } from './post.js'
export { proxySecrets } from './proxy.js'
export type { Redact } from '@modelport/core'
export { createRedact, headerSecrets } from '@modelport/core'
export { resolveCapabilities } from './resolve-capabilities.js'
export type { RetryBucket } from './retry.js'
export { createRetryBucket } from './retry.js'
export { TextBuffer } from './text-buffer.js'
export type { ToolCallIdRule } from './tool-call-ids.js'
export { mapToolCallIds, sanitizeToolCallId } from './tool-call-ids.js'
export { withVendor } from './vendor-fields.js'
export { createTransport } from './transport.js'
