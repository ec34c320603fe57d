export { OpenCalls } from './open-calls.js'
