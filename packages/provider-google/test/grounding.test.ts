import type { Citation } from '@modelport/core'
import { expect, test } from 'vitest'
import { createGoogle } from '../src/index.js'
import { answer, chunk, recordingFetch } from './support.js'

async function citationsOf(candidate: object): Promise<readonly Citation[] | undefined> {
  const fetch = recordingFetch(() =>
    answer(chunk([{ text: 'Hi' }], { finishReason: 'STOP', ...candidate })),
  )
  const provider = createGoogle({ apiKey: 'key-of-tests', model: 'm', fetch })
  return (await provider.generate([{ role: 'user', content: '?' }])).citations
}

test('a reply says which part of it a recited source covers', async () => {
  const citations = [
    { uri: 'https://a.example', startIndex: 3, endIndex: 9 },
    { uri: 'https://b.example', endIndex: 4 },
  ]
  expect(await citationsOf({ citationMetadata: { citations } })).toEqual([
    { url: 'https://a.example', start: 3, end: 9 },
    { url: 'https://b.example', start: 0, end: 4 },
  ])
})

test('a reply has the pages and the text of a document that a file search found', async () => {
  const groundingChunks = [
    {
      retrievedContext: {
        title: 'Manual',
        text: 'Turn it off.',
        pageNumber: 7,
        fileSearchStore: 'stores/1',
      },
    },
    {
      retrievedContext: {
        title: 'Guide',
        ragChunk: { text: 'Turn it on.', pageSpan: { firstPage: 2, lastPage: 3 } },
      },
    },
  ]
  expect(await citationsOf({ groundingMetadata: { groundingChunks } })).toEqual([
    {
      title: 'Manual',
      text: 'Turn it off.',
      store: 'stores/1',
      place: { unit: 'page', start: 7, end: 7 },
    },
    { title: 'Guide', text: 'Turn it on.', place: { unit: 'page', start: 2, end: 3 } },
  ])
})

test('a reply keeps a supported statement whose source has only the text of a RAG chunk', async () => {
  const groundingMetadata = {
    groundingChunks: [{ retrievedContext: { ragChunk: { text: 'Turn it on.' } } }],
    groundingSupports: [{ segment: { endIndex: 2 }, groundingChunkIndices: [0] }],
  }
  expect(await citationsOf({ groundingMetadata })).toEqual([
    { text: 'Turn it on.', start: 0, end: 2 },
  ])
})
