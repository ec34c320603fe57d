import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, extname } from 'node:path'
import { type ImagePart, LlmError, type MediaBytes, toImagePart } from '@modelport/core'
import { UsageError } from '../errors/exit-codes.js'
import { checkPrivateFile, exists, writePrivateFile } from './private-file.js'

/** Maximum bytes of an image or a recording that is sent: more than any vendor takes. */
const maxMediaBytes = 1_073_741_824

/** Ending of a file's name → its media type. */
const mediaTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.flac': 'audio/flac',
  '.mp3': 'audio/mpeg',
  '.mpga': 'audio/mpeg',
  '.mpeg': 'audio/mpeg',
  '.mp4': 'audio/mp4',
  '.m4a': 'audio/m4a',
  '.ogg': 'audio/ogg',
  '.opus': 'audio/ogg',
  '.aac': 'audio/aac',
  '.wav': 'audio/wav',
  '.webm': 'audio/webm',
}

/** An image to send: a URL, which the vendor fetches, or a file. @throws {UsageError} as {@link readMediaFile} */
export async function toImage(source: string): Promise<ImagePart> {
  if (/^https?:\/\//i.test(source)) return toImagePart(source)
  const { data, mediaType } = await readMediaFile(source, 'image')
  return toImagePart(data, mediaType)
}

/** Reads an image or a recording. @throws {UsageError} its ending is that of neither. @throws {LlmError} `config` — it is too large. */
export async function readMediaFile(path: string, kind: 'image' | 'audio'): Promise<MediaBytes> {
  const mediaType = mediaTypes[extname(path).toLowerCase()]
  if (!mediaType?.startsWith(`${kind}/`)) {
    const endings = Object.keys(mediaTypes).filter((ending) => mediaTypes[ending]?.startsWith(`${kind}/`))
    const what = kind === 'image' ? 'an image' : 'a recording'
    throw new UsageError(`${path}: not ${what} that vendors take; give a file that ends with ${endings.join(' ')}`)
  }
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > maxMediaBytes) throw new LlmError('config', `${path}: the file has more than ${maxMediaBytes} bytes`)
      chunks.push(chunk)
    }
  } catch (error) {
    throw Object.assign(error as Error, { path })
  }
  return { data: new Uint8Array(Buffer.concat(chunks)), mediaType }
}

/** The usual ending of a media type; '.bin' for one that is not known. */
export function endingOf(mediaType: string): string {
  const plain = mediaType.split(';')[0]?.trim().toLowerCase() ?? ''
  if (/^audio\/(pcm|l16)$/.test(plain)) return '.pcm'
  return Object.entries(mediaTypes).find(([, type]) => type === plain)?.[0] ?? '.bin'
}

/** Fails before anything is paid for: the file is there already, or cannot be written. */
export async function checkOutputs(paths: readonly string[], force: boolean): Promise<void> {
  for (const path of paths) {
    const folder = dirname(path)
    if (
      !(await stat(folder).then(
        (found) => found.isDirectory(),
        () => false,
      ))
    )
      throw new UsageError(`${folder}: there is no such folder; make it, or choose another --out`)
    if (!force && (await exists(path))) throw new UsageError(`${path} exists; choose another --out, or pass --force`)
    await checkPrivateFile(path)
  }
}

/** Writes a file that was checked before. */
export const writeMediaFile = (path: string, { data }: MediaBytes): Promise<void> => writePrivateFile(path, data)
