export { ollamaChat } from './formats/ollama-chat.js'
