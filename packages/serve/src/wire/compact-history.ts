import { invalidParams } from '../base/invalid-params.js'
import { readCompaction, toCompactionResult } from './compaction.js'
import type { RequestContext } from './endpoint.js'
import { readObject } from './reading.js'
import { jsonReply, type Reply } from './reply.js'

/** Makes the conversation of the session that a request names shorter. */
export async function compactHistory(context: RequestContext): Promise<Reply> {
  const { sessionId, request } = readCompaction(await readObject(context, true))
  if (!sessionId) throw invalidParams('/session_id', 'Missing required field', 'session_id is missing')
  const { host, principal, served } = context
  const key = { principal, agent: served.agent.name, id: sessionId }
  return jsonReply(toCompactionResult((await host.compact(key, request, context.request.signal)).report))
}
