export type { AgUiEvent } from './foreign-run.js'
export { fromAgUiEvents, toAgUiEvents } from './ag-ui.js'
export {
  type FromResponseOptions,
  type ToResponseOptions,
  EventLog,
  fromResponse,
  toResponse,
} from './event-response.js'
export { type FromUiMessages, type FromUiMessagesOptions, fromUiMessages } from './from-ui-messages.js'
export { type RunEvents, type UiStreamOptions, toUiMessageResponse, toUiMessageStream } from './ui-message-stream.js'
