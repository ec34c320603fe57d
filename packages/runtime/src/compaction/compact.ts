import type { ConversationHistory } from '../history.js'
import type { CompactionRequest, CompactionResult, CompactionTools } from './request.js'

/** Makes a history shorter, in place. */
export function compact(history: ConversationHistory, request: CompactionRequest, tools: CompactionTools): Promise<CompactionResult> {
  return Promise.reject(new TypeError(`not written yet: ${typeof history} ${typeof request} ${typeof tools}`))
}
