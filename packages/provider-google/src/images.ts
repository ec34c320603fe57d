import type { ImageGenerator, ImageOptions, JsonObject, MediaBytes } from '@modelport/core'
import { checkSettings, optionNames } from '@modelport/core/settings'
import { requireConfig, toBase64 } from '@modelport/driver'
import { configNames, fieldNames, type GoogleConfig } from './config.js'
import { checkText, filesOf, unsupported } from './media.js'
import { providerName } from './model-state.js'

/** Options that the API has no field for, or documents for other models only. */
const lacking = ['count', 'size', 'quality', 'background', 'mask'] as const

/**
 * An image generator by `generateContent` of a Gemini model that makes images, for example `gemini-2.5-flash-image`; `images` are sent
 * before the prompt. `format` is for Vertex AI only. Imagen models have an endpoint of their own and are refused.
 * @see https://ai.google.dev/gemini-api/docs/image-generation and `ImageConfig` of @google/genai 3.1.0 (read 2026-11-22)
 * @throws {LlmError} `config`, `invalid-base-url` — the configuration does not work; `unsupported` — an Imagen model.
 */
export function createGoogleImages(config: GoogleConfig): ImageGenerator {
  requireConfig(config, 'createGoogleImages', configNames, fieldNames)
  const { model } = config
  if (/(^|\/)(imagen|imagegeneration)/.test(model))
    throw unsupported(`the model "${model}" has an endpoint of its own; use a Gemini model that makes images`)
  const ask = filesOf(config)
  return {
    name: providerName,
    model,
    generateImages: async (prompt, options = {}) => {
      checkSettings(`${providerName}: options of generateImages`, options, optionNames.image)
      checkText('the prompt', prompt)
      checkOptions(options, config.vertex !== undefined)
      const { images = [], aspectRatio, format } = options
      const imageConfig = {
        ...(aspectRatio !== undefined && { aspectRatio }),
        ...(format !== undefined && { imageOutputOptions: { mimeType: `image/${format}` } }),
      }
      const parts = [...images.map(toPart), { text: prompt }]
      const settings = Object.keys(imageConfig).length > 0 ? { imageConfig } : {}
      const { files, usage } = await ask(
        'image',
        parts,
        { responseModalities: ['TEXT', 'IMAGE'], ...settings },
        options,
      )
      return { images: files, usage }
    },
  }
}

const toPart = ({ data, mediaType }: MediaBytes): JsonObject => ({
  inlineData: { mimeType: mediaType, data: toBase64(data) },
})

function checkOptions(options: ImageOptions, vertex: boolean): void {
  for (const name of lacking)
    if (options[name] !== undefined) throw unsupported(`Gemini models take no image option "${name}"`)
  if (options.format !== undefined && !(vertex && options.format !== 'webp'))
    throw unsupported('format is "png" or "jpeg", on Vertex AI only; the Gemini API chooses it')
}
