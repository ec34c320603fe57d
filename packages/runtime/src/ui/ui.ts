export { type AgUiEvent, toAgUiEvents } from './ag-ui.js'
export { EventLog, fromResponse, toResponse } from './event-response.js'
export { type FromUiMessages, fromUiMessages } from './from-ui-messages.js'
export { toUiMessageResponse, toUiMessageStream } from './ui-message-stream.js'
