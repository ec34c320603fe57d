import {
  type Content,
  type ContentPart,
  isObject,
  type JsonObject,
  type MediaSource,
  toMediaSource,
} from '@modelport/core'

/**
 * The content that a tool of the AI SDK wrote for the model, in any form of its specifications.
 * Undefined for a value that is not in such a form.
 * @param origin the provider that is asked: files that have been uploaded are found by its name
 */
export function fromModelOutput(
  output: unknown,
  origin = '',
):
  | {
      /** What the model sees. */
      readonly content: Content
      /** True for an error or a refusal. */
      readonly isError?: true
    }
  | undefined {
  if (!isObject(output)) return undefined
  const { type, value, reason } = output
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null)
  switch (type) {
    case 'text':
    case 'json':
      return { content: text }
    case 'error-text':
    case 'error-json':
      return { content: text, isError: true }
    case 'execution-denied':
      return {
        content: typeof reason === 'string' ? reason : 'The call was denied.',
        isError: true,
      }
    case 'content':
      return {
        content: (value as readonly JsonObject[]).flatMap(
          (part) => fromModelPart(part, origin) ?? [],
        ),
      }
    default:
      return undefined
  }
}

type Hint<Name extends string> = Readonly<Partial<Record<Name, never>>>

/**
 * A text or a file of the AI SDK as a part of ours, by its media type; undefined for a part that
 * only one vendor reads.
 */
export function fromModelPart(part: object, origin = ''): ContentPart | undefined {
  const { type, text, data, url, fileId, filename, mediaType, providerOptions } = part as JsonObject
  if (type === 'custom') return undefined
  const { modelport } = (providerOptions ?? {}) as { readonly modelport?: JsonObject }
  const hint = <Name extends string>(...names: readonly Name[]): Hint<Name> =>
    Object.fromEntries(
      Object.entries(modelport ?? {}).filter(([name]) => names.includes(name as Name)),
    ) as Hint<Name>
  const inline = isObject(data) && data['type'] === 'text' ? data['text'] : text
  if (typeof inline === 'string')
    return { type: 'text', text: inline, ...hint('cache', 'vendor', 'found') }
  const kind =
    typeof mediaType === 'string'
      ? mediaType
      : String(type).startsWith('image')
        ? 'image'
        : 'application'
  const source = toSource(data ?? url ?? fileId, kind, origin, typeof (url ?? fileId))
  if (kind.startsWith('image'))
    return { type: 'image', source, ...hint('cache', 'vendor', 'detail') }
  if (kind.startsWith('audio')) return { type: 'audio', source, ...hint('cache', 'vendor') }
  const name = typeof filename === 'string' ? { name: filename } : {}
  return { type: 'file', source, ...name, ...hint('cache', 'vendor', 'clip') }
}

/** Bytes, an address, or the id of a file, plain or in an object with the kind. */
function toSource(data: unknown, mediaType: string, origin: string, given: string): MediaSource {
  const full = /^[^/]+\/[^/*]+$/.test(mediaType) ? { mediaType } : {}
  if (data instanceof Uint8Array) return toMediaSource(data, mediaType)
  if (data instanceof URL || (typeof data === 'string' && /^(?:https?|data):/i.test(data)))
    return toMediaSource(String(data), full.mediaType)
  if (typeof data === 'string' && given === 'undefined') return { type: 'base64', data, mediaType }
  if (typeof data === 'string') return { type: 'file', id: data, origin, ...full }
  const { type, data: bytes, url, originalUrl, reference = data } = Object(data) as JsonObject
  if (type === 'data') return toSource(bytes, mediaType, origin, given)
  if (type === 'url') return toSource(originalUrl ?? url, mediaType, origin, given)
  // A file of another provider is refused by name where the request is made.
  const ids = Object.entries(reference as Readonly<Record<string, string>>)
  const [holder = '', id = ''] = ids.find(([name]) => name === origin) ?? ids[0] ?? []
  return { type: 'file', id, origin: holder, ...full }
}
