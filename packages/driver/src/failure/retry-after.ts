/**
 * How long the server asks to wait, in milliseconds: `retry-after-ms`, else `retry-after` in
 * seconds or as an HTTP date. Undefined if it does not ask, or if the value is not a time of at
 * least 0.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3 (read 2026-11-21)
 */
export function retryAfterMs(headers: Headers, date: number): number | undefined {
  const exact = headers.get('retry-after-ms')
  if (exact !== null && /^\d+(\.\d+)?$/.test(exact)) return finite(Number(exact))
  const value = headers.get('retry-after') ?? ''
  if (/^\d+(\.\d+)?$/.test(value)) return finite(Number(value) * 1000)
  // A date without a zone would be parsed in the zone of this computer.
  if (!/^[A-Za-z]{3,9}, .+ GMT$/.test(value)) return undefined
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - date)
}

const finite = (ms: number): number | undefined => (Number.isFinite(ms) ? ms : undefined)
