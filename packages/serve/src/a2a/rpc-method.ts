import type { RequestContext } from '../wire/endpoint.js'
import type { A2aStreamEvent } from './a2a-operations.js'

/** What a method gives: one result, or a stream of them. */
export type RpcResult =
  | { readonly value: unknown }
  | { readonly events: AsyncIterator<A2aStreamEvent>; readonly encode?: (event: A2aStreamEvent) => unknown }

/** A method of JSON-RPC. */
export type RpcMethod = (context: RequestContext, params: unknown) => Promise<RpcResult>
