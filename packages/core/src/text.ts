export { toBase64 } from './base64.js'
export { errorText } from './error-text.js'
export { toSnake } from './to-snake.js'
export { tryParseJson } from './try-parse-json.js'
