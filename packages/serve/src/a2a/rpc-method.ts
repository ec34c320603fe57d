import type { RequestContext } from '../wire/endpoint.js'
import type { A2aStreamEvent } from './a2a-operations.js'

/** The result of a method: one value, or a stream of values. */
export type RpcResult = { readonly value: unknown } | { readonly events: AsyncIterator<A2aStreamEvent> }

/** A method of JSON-RPC. */
export type RpcMethod = (context: RequestContext, params: unknown) => Promise<RpcResult>
