import type { Command } from 'commander'
import type { Start } from '../context/start.js'
import { withMediaOptions } from './media-flags.js'
import { toCount } from './numbers.js'

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
    .action(start(async () => (await import('../commands/rerank.js')).rerank))
}
