import { newReranker } from '@modelport/factory'
import type { Cli } from '../context/cli.js'
import { exitCodes, UsageError } from '../errors/exit-codes.js'
import { withProgress } from '../terminal/progress.js'
import { type MediaFlags, pickForRole, toRequestOptions } from './media-options.js'
import { readAll } from './read-prompt.js'

/** Options of `modelport rerank`. */
export interface RerankFlags extends MediaFlags {
  readonly top?: number
}

/** Runs `modelport rerank`; resolves to the exit code. */
export async function rerank(cli: Cli, query: string, given: readonly string[], flags: RerankFlags): Promise<number> {
  const { io, out, err, signal } = cli
  const model = await pickForRole(cli, flags, 'reranking')
  const piped = given.length || io.stdin.isTTY ? '' : await readAll(io.stdin, signal)
  const documents = given.length ? given : piped.split(/\r?\n/).filter((line) => line.trim())
  if (!documents.length) throw new UsageError('there are no documents; give them as arguments, or pipe in one a line')
  const reranker = await newReranker(model.config, cli.context)
  const { results, usage } = await withProgress(err, 'waiting for the ranking', () =>
    reranker.rerank(query, documents, {
      ...(flags.top !== undefined && { topN: flags.top }),
      ...toRequestOptions(cli, flags),
    }),
  )
  const ranked = results.map(({ index, score }) => ({ index, score, document: documents[index] ?? '' }))
  if (cli.json) out.json({ results: ranked, model: reranker.model, usage })
  else for (const { score, document } of ranked) out.line(`${score.toFixed(4)}\t${out.foreign(document)}`)
  return exitCodes.done
}
