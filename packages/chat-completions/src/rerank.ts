import { type RankedDocument, type Reranker } from '@modelport/core'
import { checkSettings, optionNames } from '@modelport/core/settings'
import { namedError } from '@modelport/driver'
import { checkText, type MediaEndpoint, toMediaUsage } from './media-endpoint.js'
import { asItems, asObject } from './wire.js'

/**
 * A reranker by `POST /rerank`, the form that Cohere's and Jina's APIs share and that servers follow.
 * @see https://github.com/ggml-org/llama.cpp/tree/master/tools/server#post-reranking-rerank-documents-according-to-a-given-query (read 2026-11-22)
 * @see https://docs.cohere.com/reference/rerank (read 2026-11-22)
 */
export function createRerank(endpoint: MediaEndpoint): Reranker {
  const { name, model } = endpoint
  return {
    name,
    model,
    rerank: async (query, documents, options = {}) => {
      checkSettings(`${name}: options of rerank`, options, optionNames.rerank)
      checkText(name, 'the query', query)
      const { topN } = options
      if (topN !== undefined && !(Number.isInteger(topN) && topN >= 1))
        throw namedError(name, 'invalid-request', `topN must be a whole number above 0, not ${topN}`)
      if (!documents.length) return { results: [], usage: toMediaUsage({ input_tokens: 0 }) }
      const body = { model, query, documents: [...documents], ...(topN !== undefined && { top_n: topN }) }
      const response = asObject(await endpoint.json('/rerank', { body }, options))
      const most = Math.min(topN ?? documents.length, documents.length)
      const results = toResults(name, response['results'], documents.length)
      if (results.length < most)
        throw namedError(name, 'protocol', `${results.length} results where ${most} were asked for`)
      return { results: results.slice(0, most), usage: toMediaUsage(toUsageField(response)) }
    },
  }
}

function toResults(name: string, value: unknown, documents: number): RankedDocument[] {
  const seen = new Set<number>()
  const results = asItems(value).map(({ index, relevance_score: score }) => {
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= documents || seen.has(index))
      throw namedError(name, 'protocol', 'a result is of no document, or of one that came before')
    if (typeof score !== 'number') throw namedError(name, 'protocol', 'a result has no score')
    seen.add(index)
    return { index, score }
  })
  return results.sort((a, b) => b.score - a.score || a.index - b.index)
}

/** vLLM and some others report the total only, which is all input. */
function toUsageField({ usage, meta }: Readonly<Record<string, unknown>>): unknown {
  const counts = asObject(usage)
  const { prompt_tokens, input_tokens, total_tokens } = counts
  if (prompt_tokens !== undefined || input_tokens !== undefined) return counts
  return total_tokens === undefined ? asObject(meta)['tokens'] : { input_tokens: total_tokens }
}
