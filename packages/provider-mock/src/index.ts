export {
  type Cassette,
  type CassetteExchange,
  type CassetteFailure,
  type CassetteRequest,
  type CassetteResponse,
  parseCassette,
} from './cassette.js'
export { createMock, type MockConfig, type MockProvider } from './mock.js'
export { type CassetteRecorder, type RecordOptions, recordCassette } from './record-cassette.js'
export {
  CassetteMismatchError,
  type CassettePlayer,
  type ReplayOptions,
  replayCassette,
} from './replay-cassette.js'
export type { MockReply, MockResponse, MockToolCall, MockTurn } from './responses.js'
export type { ScrubOptions } from './scrub.js'
