import { LlmError } from '@modelport/core'
import type { McpSettings } from './settings.js'

/** Warns of something that the server sent. */
export function warn({ name, onWarning }: McpSettings, message: string): void {
  onWarning?.(new LlmError('protocol', `MCP server "${name}": ${message}`))
}

/** Wraps a callback of the application; disables it if it throws. */
export function toObserver<News>(
  observe: ((news: News) => void) | undefined,
): ((news: News) => void) | undefined {
  let observer = observe
  return (
    observe &&
    ((news) => {
      try {
        observer?.(news)
      } catch {
        observer = undefined
      }
    })
  )
}
