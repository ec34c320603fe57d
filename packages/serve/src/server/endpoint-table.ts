import type { Endpoint } from '../wire/wire.js'

/** One row of the table, without its handler. */
export type EndpointDescription = Pick<
  Endpoint,
  'name' | 'method' | 'path' | 'summary' | 'source' | 'mode' | 'wire'
> & { readonly authenticated: boolean }

/** The table without its handlers. */
export const describe = (endpoints: readonly Endpoint[]): readonly EndpointDescription[] =>
  endpoints.map(({ name, method, path, summary, source, mode, wire, authenticated = true }) => ({
    name,
    method,
    path,
    summary,
    source,
    mode,
    wire,
    authenticated,
  }))
