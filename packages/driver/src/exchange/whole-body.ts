import { isLlmError, LlmError } from '@modelport/core'
import { checkJsonValues } from '../base/json-values.js'
import { parseJson } from '../base/parse-json.js'
import { TextBuffer } from '../base/text-buffer.js'
import { truncatedError } from '../failure/truncated-error.js'
import { refuseWebPage } from '../framing/framing.js'
import { decodeUtf8, JsonBodyFramer } from '../framing/json-body.js'

/** Reads the body of one response as a whole. */
export interface BodyReader<T> {
  push(chunk: Uint8Array): void
  /**
   * Returns the body's value; `bytes` is its length.
   * @throws {LlmError} `truncated`, `protocol`, `limit-exceeded` — it has none.
   */
  end(bytes: number): T
}

/**
 * Reads a body as one JSON value, whatever its content type says, and returns what `convert` makes
 * of it.
 * @throws {LlmError} `protocol` — the body is a web page.
 */
export function readJsonBody<T>(
  headers: Headers,
  maxJsonValues: number,
  convert: (value: unknown) => T,
): BodyReader<T> {
  refuseWebPage(headers.get('content-type') ?? '')
  const values: unknown[] = []
  const framer = new JsonBodyFramer(({ data }) => {
    checkJsonValues(data, maxJsonValues)
    values.push(parseJson(data))
  })
  return {
    push: (chunk) => {
      framer.push(chunk)
    },
    end: (bytes) => {
      try {
        framer.end()
      } catch (error) {
        if (isLlmError(error, 'protocol') && framer.cut) throw truncatedError(bytes, error)
        throw error
      }
      if (values.length) return convert(values[0])
      throw bytes
        ? new LlmError('protocol', 'the response is empty; check the base URL')
        : truncatedError(0)
    },
  }
}

/**
 * Reads a body as text.
 * @throws {LlmError} `protocol` — the body is a web page.
 */
export function readTextBody(headers: Headers): BodyReader<string> {
  refuseWebPage(headers.get('content-type') ?? '')
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const text = new TextBuffer()
  // Not every transport notices a body that is shorter than its header says.
  const announced = headers.has('content-encoding') ? 0 : Number(headers.get('content-length') ?? 0)
  return {
    push: (chunk) => {
      text.add(decodeUtf8(decoder, chunk, { stream: true }))
    },
    end: (bytes) => {
      if (bytes < announced)
        throw new LlmError(
          'truncated',
          `the connection ended after ${bytes} of ${announced} bytes of the file`,
        )
      text.add(decodeUtf8(decoder))
      return text.take()
    },
  }
}
