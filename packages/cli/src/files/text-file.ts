import { createReadStream } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { configError } from '@modelport/core'

/** Maximum bytes of a file with settings: a configuration, keys, a schema. */
export const maxSettingsBytes = 1_048_576
/** Maximum bytes of a saved chat or a cassette, which hold images. */
const maxFileBytes = 268_435_456

/**
 * The bytes of a file. Rejections name the file; Node's own error does not if the path is a folder.
 * @throws {LlmError} `config` — the file has more than `maxBytes`. Nothing beyond them is read,
 * also of a device that never ends.
 */
export async function readBytes(path: string, maxBytes: number): Promise<Buffer> {
  const bytes = await buffer(createReadStream(path, { end: maxBytes })).catch((error: unknown) => {
    throw Object.assign(error as Error, { path })
  })
  if (bytes.length > maxBytes)
    throw configError(
      `${path}: the file has more than ${maxBytes} bytes; check that it is the right one`,
    )
  return bytes
}

/** The text of a file. @throws {LlmError} as {@link readBytes} */
export const readTextFile = async (
  path: string,
  maxBytes: number = maxFileBytes,
): Promise<string> => (await readBytes(path, maxBytes)).toString('utf8')

/** The text of a file; undefined if there is none. @throws {LlmError} as {@link readBytes} */
export const readTextIfAny = (path: string, maxBytes?: number): Promise<string | undefined> =>
  readTextFile(path, maxBytes).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  })
