import {
  asText,
  type GeneratedImage,
  type GeneratedImages,
  type ImageGenerator,
  type ImageOptions,
  type JsonObject,
  type MediaBytes,
} from '@modelport/core'
import { checkSettings, optionNames } from '@modelport/core/settings'
import { decodeBase64, defined, type FormField, imageTypeOf, namedError } from '@modelport/driver'
import { checkText, type MediaEndpoint, toMediaUsage, unsupported, withVendorFields } from './media-endpoint.js'
import { asItems, asObject } from './wire.js'

/** How a server's Images API differs from OpenAI's. */
export interface ImageDialect {
  /** Sent as `response_format`, for servers that return addresses unless it says otherwise. Unset: not sent. */
  readonly responseFormat?: string
  /** Options that the server does not document. */
  readonly lacks?: readonly ('size' | 'quality' | 'background' | 'format' | 'images' | 'mask' | 'count')[]
  /** Formats that the server documents. Default: all of {@link ImageOptions.format}. */
  readonly formats?: readonly NonNullable<ImageOptions['format']>[]
  /** True if the server takes `width` and `height` in place of `size`. Default false. */
  readonly sizeFields?: boolean
  /** True if the server takes `aspect_ratio`. Default false. */
  readonly aspectRatio?: boolean
}

/** Maximum number of images of one request, and of those to edit. */
const limits = { count: 10, images: 16 } as const

const extensions: Readonly<Record<string, string>> = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' }

/**
 * An image generator by `POST /images/generations`, and by `POST /images/edits` where there are images to start from.
 * @see https://developers.openai.com/api/reference/resources/images (as in openai 7.55.0 `resources/images`, read 2026-11-22)
 */
export function createImages(endpoint: MediaEndpoint, dialect: ImageDialect = {}): ImageGenerator {
  const { name, model } = endpoint
  return {
    name,
    model,
    generateImages: async (prompt, options = {}) => {
      checkSettings(`${name}: options of generateImages`, options, optionNames.image)
      checkText(name, 'the prompt', prompt)
      checkOptions(name, options, dialect)
      const { images = [], mask, vendor } = options
      const fields = toFields(model, prompt, options, dialect)
      const edited = images.length > 0
      const content = edited ? { form: withVendorFields(toForm(name, fields, images, mask), vendor) } : { body: fields }
      return fromWire(name, await endpoint.json(edited ? '/images/edits' : '/images/generations', content, options))
    },
  }
}

function checkOptions(name: string, options: ImageOptions, dialect: ImageDialect): void {
  const { lacks = [], aspectRatio = false, formats, sizeFields } = dialect
  const { count, images = [], mask, format, size } = options
  for (const option of lacks)
    if (options[option] !== undefined) throw unsupported(name, `this server documents no image option "${option}"`)
  if (options.aspectRatio !== undefined && !aspectRatio)
    throw unsupported(name, 'this API takes no aspectRatio; set size, for example "1536x1024"')
  if (format !== undefined && formats && !formats.includes(format))
    throw unsupported(name, `the format "${format}"; this server documents ${formats.join(', ')}`)
  if (size !== undefined && sizeFields && !/^[1-9]\d*x[1-9]\d*$/.test(size))
    throw namedError(name, 'invalid-request', `size must be like "1024x1024", not "${size}"`)
  if (count !== undefined && !(Number.isInteger(count) && count >= 1 && count <= limits.count))
    throw namedError(name, 'invalid-request', `count must be 1 to ${limits.count}, not ${count}`)
  if (images.length > limits.images)
    throw namedError(name, 'invalid-request', `${images.length} images; at most ${limits.images}`)
  if (mask && !images.length) throw namedError(name, 'invalid-request', 'mask needs the image to edit; set images')
}

function toFields(
  model: string,
  prompt: string,
  { count, size, aspectRatio, quality, background, format }: ImageOptions,
  { responseFormat, sizeFields }: ImageDialect,
): JsonObject {
  const [width, height] = size?.split('x').map(Number) ?? []
  return {
    model,
    prompt,
    ...(size !== undefined && (sizeFields ? { width, height } : { size })),
    ...defined({ n: count, aspect_ratio: aspectRatio, quality, background }),
    ...defined({ output_format: format, response_format: responseFormat }),
  }
}

/** Several images are fields of the name `image[]`, as the vendor's own SDK writes lists; a single one is `image`. */
function toForm(
  name: string,
  fields: JsonObject,
  images: readonly MediaBytes[],
  mask: MediaBytes | undefined,
): FormField[] {
  const file = (image: MediaBytes, fileName: string): FormField[1] => {
    const extension = extensions[image.mediaType]
    if (!extension)
      throw unsupported(name, `images of the type ${JSON.stringify(image.mediaType)}; give PNG, JPEG or WebP`)
    return { data: image.data, mediaType: image.mediaType, fileName: `${fileName}.${extension}` }
  }
  return [
    ...Object.entries(fields).map(([field, value]): FormField => [field, String(value)]),
    ...images.map(
      (image, index): FormField => [images.length > 1 ? 'image[]' : 'image', file(image, `image-${index}`)],
    ),
    ...(mask ? [['mask', file(mask, 'mask')] as const] : []),
  ]
}

function fromWire(name: string, response: unknown): GeneratedImages {
  const { data, usage, output_format } = asObject(response)
  const images = asItems(data).map((item) => toImage(name, item, asText(output_format)))
  if (!images.length) throw namedError(name, 'protocol', 'the response has no image')
  return { images, usage: toMediaUsage(usage) }
}

function toImage(name: string, item: JsonObject, format: string): GeneratedImage {
  const { b64_json, url, revised_prompt } = item
  if (typeof b64_json !== 'string' || !b64_json)
    throw url === undefined
      ? namedError(name, 'protocol', 'an image of the response has no bytes')
      : unsupported(
          name,
          'the server returned the address of an image in place of its bytes; modelport fetches no addresses',
        )
  const bytes = decodeBase64(b64_json)
  const mediaType = bytes && (imageTypeOf(bytes) ?? (format && `image/${format === 'svg' ? 'svg+xml' : format}`))
  if (!bytes?.length || !mediaType)
    throw namedError(name, 'protocol', 'an image of the response is not base64 of a known format')
  const revisedPrompt = asText(revised_prompt)
  return { data: bytes, mediaType, ...(revisedPrompt && { revisedPrompt }) }
}
