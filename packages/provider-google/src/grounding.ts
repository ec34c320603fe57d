import type { GroundingMetadata } from '@google/genai'
import type { Citation } from '@modelport/core'
import { listOf } from '@modelport/driver'
import type { WireCandidate, WireRange, WireSource } from './wire.js'

/**
 * Where the statements of a reply come from: one citation per statement and source, or per source
 * where no statement is named.
 */
export function toCitations({ groundingMetadata, citationMetadata }: WireCandidate): Citation[] {
  const { citations, citationSources } = citationMetadata ?? {}
  const all = [
    ...toGroundingCitations(groundingMetadata ?? {}),
    ...listOf(citations ?? citationSources).map((source) => ({
      ...toCitation(source),
      ...toRange(source),
    })),
  ]
  return all.filter(({ url, title, text }) => url ?? title ?? text)
}

function toGroundingCitations({
  groundingChunks,
  groundingSupports,
}: GroundingMetadata): Citation[] {
  const sources = listOf(groundingChunks).map(
    ({ web, retrievedContext, maps, image }): WireSource =>
      web ?? retrievedContext ?? maps ?? fromImage(image),
  )
  const supports = listOf(groundingSupports)
  if (!supports.length) return sources.map((source) => toCitation(source))
  return supports.flatMap(({ segment, groundingChunkIndices }) => {
    const indices: readonly number[] = Array.isArray(groundingChunkIndices)
      ? groundingChunkIndices
      : []
    return indices
      .map((index) => sources[index])
      .filter(isCitable)
      .map((source) => ({ ...toCitation(source, segment?.text), ...toRange(segment ?? {}) }))
  })
}

/** A citation of any other source would have nothing but the statement itself. */
const isCitable = (source: WireSource | undefined): source is WireSource =>
  Boolean(source?.uri ?? source?.title ?? source?.text ?? source?.ragChunk?.text)

const fromImage = (
  image: { readonly sourceUri?: string; readonly title?: string } = {},
): WireSource => ({
  ...(image.sourceUri && { uri: image.sourceUri }),
  ...(image.title && { title: image.title }),
})

/** A range of the reply, in bytes. The wire leaves out a start of 0. */
const toRange = ({ startIndex = 0, endIndex }: WireRange): Pick<Citation, 'start' | 'end'> =>
  endIndex ? { start: startIndex, end: endIndex } : {}

/** Pages of the source: one, or those that a chunk of a RAG corpus spans. */
function toPlace({ pageNumber, ragChunk }: WireSource): Citation['place'] {
  const { firstPage = pageNumber, lastPage = firstPage } = ragChunk?.pageSpan ?? {}
  return firstPage && lastPage ? { unit: 'page', start: firstPage, end: lastPage } : undefined
}

/** `text` is the statement of the reply, or if there is none the text of the source. */
function toCitation(
  source: WireSource,
  text: string | undefined = source.text ?? source.ragChunk?.text,
): Citation {
  const { uri, title, fileSearchStore, documentName } = source
  const place = toPlace(source)
  return {
    ...(uri && { url: uri }),
    ...(title && { title }),
    ...(text && { text }),
    ...(fileSearchStore && { store: fileSearchStore }),
    ...(documentName && { fileId: documentName }),
    ...(place && { place }),
  }
}

/** The server's tool that a grounding comes from; undefined if the metadata is empty. */
export function groundingTool(grounding: GroundingMetadata): string | undefined {
  const { webSearchQueries, imageSearchQueries, retrievalQueries, groundingChunks } = grounding
  if (retrievalQueries?.length) return 'retrieval'
  if ([webSearchQueries, imageSearchQueries].flat().some(Boolean)) return 'google_search'

  const chunks = listOf(groundingChunks)
  if (chunks.some(({ retrievedContext }) => retrievedContext)) return 'file_search'
  if (chunks.some(({ maps }) => maps)) return 'google_maps'
  // Other chunks are web pages or images. A search may also be named by empty queries only.
  return chunks.length > 0 || webSearchQueries?.length ? 'google_search' : undefined
}
