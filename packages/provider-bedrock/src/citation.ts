import type { Citation } from '@modelport/core'
import type { WireCitation } from './wire.js'

/** Units of the places that a source can name. */
const units = { documentChar: 'character', documentPage: 'page', documentChunk: 'block' } as const

/** A source that the model named. @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Citation.html (as in @aws-sdk/client-bedrock-runtime 3.1164.0, read 2026-11-27) */
export function toCitation({ title, source, sourceContent, location }: WireCitation): Citation {
  const text = (Array.isArray(sourceContent) ? (sourceContent as NonNullable<WireCitation['sourceContent']>) : [])
    .map((part) => (typeof part?.text === 'string' ? part.text : ''))
    .join('')
  const url = location?.['web']?.['url'] ?? source
  const kind = (Object.keys(units) as (keyof typeof units)[]).find((name) => location?.[name])
  const { start, end } = (kind && location?.[kind]) ?? {}
  return {
    ...(typeof title === 'string' && title && { title }),
    ...(typeof url === 'string' && /^https?:/.test(url) && { url }),
    ...(text && { text }),
    ...(kind && typeof start === 'number' && typeof end === 'number' && { place: { unit: units[kind], start, end } }),
  }
}
