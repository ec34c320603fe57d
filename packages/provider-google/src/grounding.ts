import type { Citation } from '@modelport/core'
import { listOf } from './wire-values.js'
import type { WireCandidate, WireGrounding, WireSource } from './wire.js'

/** Where the statements of an answer come from: one citation per statement and source, or per source where no statement is named. */
export function toCitations({ groundingMetadata, citationMetadata }: WireCandidate): Citation[] {
  const { citations, citationSources } = citationMetadata ?? {}
  const found = [
    ...toGroundingCitations(groundingMetadata ?? {}),
    ...listOf(citations ?? citationSources).map((source) => toCitation(source)),
  ]
  return found.filter(({ url, title, text }) => url ?? title ?? text)
}

function toGroundingCitations({ groundingChunks, groundingSupports }: WireGrounding): Citation[] {
  const sources = listOf(groundingChunks).map(
    ({ web, retrievedContext, maps, image }) => web ?? retrievedContext ?? maps ?? fromImage(image),
  )
  const supports = listOf(groundingSupports)
  if (!supports.length) return sources.map((source) => toCitation(source))
  return supports.flatMap(({ segment, groundingChunkIndices }) =>
    (Array.isArray(groundingChunkIndices) ? (groundingChunkIndices as readonly number[]) : []).flatMap((index) => {
      const source = sources[index]
      return (source?.uri ?? source?.title ?? source?.text) ? [toCitation(source, segment?.text)] : []
    }),
  )
}

const fromImage = (image: { readonly sourceUri?: string; readonly title?: string } = {}): WireSource => ({
  ...(image.sourceUri && { uri: image.sourceUri }),
  ...(image.title && { title: image.title }),
})

function toCitation({ uri, title, text }: WireSource, statement: string | undefined = text): Citation {
  return { ...(uri && { url: uri }), ...(title && { title }), ...(statement && { text: statement }) }
}
