/** A response of our own transport, which makes its `Headers` only for whoever asks for them. */
interface RawResponse {
  headerOf?(name: string): string | null
}

/** The content type of a response; '' if it has none. */
export function contentTypeOf(response: Response & RawResponse): string {
  const type = response.headerOf
    ? response.headerOf('content-type')
    : response.headers.get('content-type')
  return type ?? ''
}
