export { runPresets } from './presets.js'
export { fromProtolinkCard, toProtolinkCard } from './protolink/card-codec.js'
export { toPromptText } from './protolink/card-prompt.js'
export { toProtolinkEvents } from './protolink/event-codec.js'
export { mimeTypes } from './protolink/mime-types.js'
export {
  fromProtolinkMessage,
  fromProtolinkTask,
  toProtolinkMessage,
  toProtolinkTask,
} from './protolink/task-codec.js'
export { type ProtolinkTasks, protolinkTasks } from './protolink/tasks.js'
export { toWireEvents, type WireEvent } from './protolink-events.js'
