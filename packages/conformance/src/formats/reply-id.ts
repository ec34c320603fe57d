/**
 * An id of a reply: another one for each turn of a conversation. Clients tell replies apart by it.
 * @param messages those of the request, in the words of its API
 */
export const replyId = (prefix: string, messages: unknown): string =>
  `${prefix}-${Array.isArray(messages) ? messages.length : 1}`
