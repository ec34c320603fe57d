import {
  type Content,
  type ContentPart,
  type JsonObject,
  LlmError,
  type MediaSource,
  textOf,
} from '@modelport/core'
import { withVendor } from '@modelport/driver'

const toDataUrl = ({ mediaType, data }: Extract<MediaSource, { type: 'base64' }>): string =>
  `data:${mediaType};base64,${data}`

const toImage = (source: MediaSource): JsonObject =>
  source.type === 'file'
    ? { file_id: source.id }
    : { image_url: source.type === 'url' ? source.url : toDataUrl(source) }

/**
 * Content as the API takes it: a string, or a list where there is more than text.
 * @throws {LlmError} `unsupported` — audio.
 */
export function toInputContent(content: Content): string | readonly JsonObject[] {
  if (typeof content === 'string') return content
  if (content.every((part) => part.type === 'text' && !part.vendor && !part.cache))
    return textOf(content)
  return content.map(toInputPart)
}

/**
 * One part as input.
 * @see https://developers.openai.com/api/docs/guides/file-inputs (read 2026-11-21)
 * @throws {LlmError} `unsupported` — audio.
 */
export const toInputPart = (part: ContentPart): JsonObject =>
  withVendor(
    // As in openai 7.55.0 `ResponseInputText` (read 2026-11-24); models before GPT-5.6 refuse it.
    { ...toPart(part), ...(part.cache && { prompt_cache_breakpoint: { mode: 'explicit' } }) },
    part.vendor,
    `vendor of a part of type "${part.type}"`,
  )

function toPart(part: ContentPart): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text }
    case 'image':
      return {
        type: 'input_image',
        ...toImage(part.source),
        ...(part.detail && { detail: part.detail }),
      }
    case 'file': {
      const { source, name } = part
      if (source.type === 'file') return { type: 'input_file', file_id: source.id }
      if (source.type === 'url')
        return { type: 'input_file', file_url: source.url, ...(name && { filename: name }) }
      return {
        type: 'input_file',
        filename: name ?? `file.${source.mediaType.replace(/^.*[/.+]/, '')}`,
        file_data: toDataUrl(source),
      }
    }
    case 'audio':
      throw new LlmError(
        'unsupported',
        'the Responses API takes no audio; send text, or use api: "chat" with a model with audio input',
      )
  }
}
