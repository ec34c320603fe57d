/**
 * The bytes of a body.
 * @param tooLong makes the error for a body of more than `limit` bytes, whose rest is not read
 */
export async function readLimited(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  limit: number,
  tooLong: () => Error,
): Promise<ArrayBuffer> {
  const reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined = body?.getReader()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  while (reader) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.byteLength
    if (size > limit) {
      await reader.cancel().catch(() => undefined)
      throw tooLong()
    }
    chunks.push(value)
  }
  return new Blob(chunks).arrayBuffer()
}
