import type { Cassette, CassetteExchange } from '@modelport/provider-mock'
import type { Exchange } from '../protocol/protocol.js'

/** Maximum characters of one body that the page shows; the cassette keeps all of it. */
const longestBody = 1_000_000

/** The recorded requests of a cassette, as the page shows them. */
export const toExchanges = (cassette: Cassette): Exchange[] => cassette.exchanges.map(toExchange)

function toExchange({ request, response }: CassetteExchange): Exchange {
  const { method, url, headers, body } = request
  const sent = {
    method,
    url,
    requestHeaders: headers,
    requestBody:
      body === undefined
        ? ''
        : typeof body === 'string'
          ? body
          : JSON.stringify(body, undefined, 2),
  }
  if ('error' in response) return { ...sent, error: response.error.message }
  const chunks = response.chunks.map((chunk) =>
    typeof chunk === 'string' ? chunk : `[${chunk.base64.length} base64]`,
  )
  const text = chunks.join('')
  const more =
    text.length > longestBody
      ? ` … (${text.length - longestBody} more characters are in the cassette)`
      : ''
  return {
    ...sent,
    status: response.status,
    responseHeaders: response.headers,
    responseBody: text.slice(0, longestBody) + more,
    ...(response.cut && { cut: true }),
  }
}
