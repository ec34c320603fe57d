import type { JsonObject } from '@modelport/core'
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

const operation = ({ name, path, method, summary, mode, source, wire }: Endpoint): JsonObject => ({
  operationId: `${name}_${method.toLowerCase()}`.replaceAll(/\W+/g, '_'),
  summary,
  tags: [wire],
  parameters: Array.from(path.matchAll(/\{(\w+)\}/g), ([, parameter]) => ({
    name: parameter,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  })),
  ...(source === 'body' && {
    requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
  }),
  responses: {
    200: {
      description: 'The result',
      content: { [mode === 'stream' ? 'text/event-stream' : 'application/json']: { schema: { type: 'object' } } },
    },
    default: { description: 'An error', content: { 'application/json': { schema: { type: 'object' } } } },
  },
})

/** The table as an OpenAPI 3.1 document. */
export function toOpenApi(endpoints: readonly Endpoint[], url: string, title: string): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const endpoint of endpoints) {
    const path = (paths[endpoint.path] ??= {})
    path[endpoint.method.toLowerCase()] = operation(endpoint)
  }
  return { openapi: '3.1.0', info: { title, version: '1.0.0' }, servers: [{ url }], paths }
}
