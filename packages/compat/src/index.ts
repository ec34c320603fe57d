export { lllm, openparallax, protolink, xaibo } from './presets.js'
export { toWireEvents } from './protolink-events.js'
