import '../../../../scripts/sources.mjs'
// How many histories each mistake takes until it is found.
import { historyOf } from './history.js'
import { mistakes } from './mistakes.js'
import { moves } from './moves.js'
import { play } from './play.js'

const [, , most = '300', only = ''] = process.argv
let isBlind = false
for (const [name, mistake] of Object.entries(mistakes)) {
  if (!name.startsWith(only)) continue
  let seed = 1
  let wrong: readonly string[] = []
  // What the product does wrong without it does not count.
  for (; seed <= Number(most) && wrong.length === 0; seed++) {
    const history = historyOf(seed, moves)
    const verdict = await play(history, mistake)
    if (verdict.wrong.length > 0 && (await play(history)).wrong.length === 0) ({ wrong } = verdict)
  }
  if (wrong.length === 0) isBlind = true
  console.log(`| ${name} | ${wrong.length > 0 ? seed - 1 : 'not found'} | ${wrong[0] ?? ''} |`)
}
process.exit(isBlind ? 1 : 0)
