import type { Citation } from '@modelport/core'
import { listOf } from './wire-values.js'
import type { WireCandidate, WireGrounding, WireSource } from './wire.js'

/** Where the statements of a reply come from: one citation per statement and source, or per source where no statement is named. */
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
      if (!(source?.uri ?? source?.title ?? source?.text)) return []
      const { text, startIndex = 0, endIndex } = segment ?? {}
      return [{ ...toCitation(source, text), ...(endIndex && { start: startIndex, end: endIndex }) }]
    }),
  )
}

const fromImage = (image: { readonly sourceUri?: string; readonly title?: string } = {}): WireSource => ({
  ...(image.sourceUri && { uri: image.sourceUri }),
  ...(image.title && { title: image.title }),
})

function toCitation(
  { uri, title, text, fileSearchStore, documentName }: WireSource,
  statement: string | undefined = text,
): Citation {
  return {
    ...(uri && { url: uri }),
    ...(title && { title }),
    ...(statement && { text: statement }),
    ...(fileSearchStore && { store: fileSearchStore }),
    ...(documentName && { fileId: documentName }),
  }
}

/** The server's tool that a grounding comes from; undefined if the metadata is empty. */
export function groundingTool(grounding: WireGrounding): string | undefined {
  const { webSearchQueries, imageSearchQueries, retrievalQueries, groundingChunks } = grounding
  if (retrievalQueries?.length) return 'retrieval'
  const chunks = listOf(groundingChunks)
  if ([webSearchQueries, imageSearchQueries].flat().some(Boolean)) return 'google_search'
  if (chunks.some(({ retrievedContext }) => retrievedContext)) return 'file_search'
  if (chunks.some(({ maps }) => maps)) return 'google_maps'
  return chunks.length > 0 || webSearchQueries?.length ? 'google_search' : undefined
}
