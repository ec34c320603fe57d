import { newReranker } from '@modelport/factory'
import type { Command } from 'commander'
import { exitCodes, UsageError } from '../errors/exit-codes.js'
import type { Cli } from '../context/cli.js'
import { withProgress } from '../terminal/progress.js'
import { toCount } from './call-options.js'
import { type MediaFlags, pickForRole, toRequestOptions, withMediaOptions } from './media-options.js'
import { readAll } from './read-prompt.js'
import type { Start } from '../context/start.js'

interface RerankFlags extends MediaFlags {
  readonly top?: number
}

/** `modelport rerank`: orders texts by how well they fit a query. */
export function addRerank(program: Command, start: Start): void {
  withMediaOptions(
    program
      .command('rerank')
      .argument('<query>', 'what the documents should fit')
      .argument('[documents...]', 'the documents; without any, each line that is piped in is one'),
    'reranking',
  )
    .description('order documents by how well they fit a query')
    .option('--top <count>', 'print only the best <count> documents', toCount)
    .action((query: string, documents: string[], flags: RerankFlags) =>
      start(flags, (cli) => rerank(cli, query, documents, flags)),
    )
}

async function rerank(cli: Cli, query: string, given: readonly string[], flags: RerankFlags): Promise<number> {
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
