export { type AgUiEvent, type AgUiOptions, toAgUiEvents } from './ag-ui.js'
export {
  type ClientError,
  EventLog,
  type FromResponseOptions,
  fromResponse,
  type ToResponseOptions,
  toResponse,
} from './event-response.js'
export {
  type FromUiMessages,
  type FromUiMessagesOptions,
  fromUiMessages,
} from './from-ui-messages.js'
export {
  type RunEvents,
  toUiMessageResponse,
  toUiMessageStream,
  type UiMessageChunk,
  type UiStreamOptions,
} from './ui-message-stream.js'
