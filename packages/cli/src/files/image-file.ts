import { extname } from 'node:path'
import { type ImagePart, toImagePart } from '@modelport/core'
import { UsageError } from '../errors/exit-codes.js'
import { readBytes } from './text-file.js'

/** Maximum bytes of an image that is sent: more than any vendor takes. */
const maxImageBytes = 1_073_741_824

/** Ending of an image's name → its media type. */
export const imageTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
}

/**
 * An image to send: a URL, which the vendor fetches, or a file.
 * @throws {UsageError} its ending is not that of an image.
 * @throws {LlmError} `config` — it is too large.
 */
export async function toImage(source: string): Promise<ImagePart> {
  if (/^https?:\/\//i.test(source)) return toImagePart(source)
  const mediaType = imageTypes[extname(source).toLowerCase()]
  if (!mediaType) {
    const endings = Object.keys(imageTypes).join(' ')
    throw new UsageError(
      `${source}: not an image that vendors take; give a file that ends with ${endings}`,
    )
  }
  return toImagePart(new Uint8Array(await readBytes(source, maxImageBytes)), mediaType)
}
