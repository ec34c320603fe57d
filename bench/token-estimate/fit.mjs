// Fits the tables of packages/core/src/token-estimate.ts on one half of the documents:
// `node token-estimate/fit.mjs [--write]`. Without --write it says whether the file holds exactly
// this fit, and how the same procedure does on sources and languages it was not given at all.
import { estimateTokens } from '../../packages/core/src/token-estimate.ts'
import { documents } from './documents.mjs'
import { counted, fallbackWeights } from './reference.mjs'
import { header, summary } from './report.mjs'
import { estimates, fit, rowsOf } from './solve.mjs'
import { isWritten, write } from './tables.mjs'

/**
 * Share of documents that may be left undercounted in cross-validation; it trains on less than the
 * fit does, so the fit itself does a little better.
 */
const undercounted = 0.0225
const sources = [
  'javascripting',
  'node-red',
  'uppy',
  'capacitor',
  'graphile',
  'codemirror',
  'wordpress',
  'quran',
]
const languages = [
  'nl',
  'da',
  'ro',
  'hu',
  'ca',
  'id',
  'tl',
  'uk',
  'sr',
  'fa',
  'mr',
  'ne',
  'zh-hant',
]

const all = counted(documents())
const seen = all.filter(({ half }) => half === 0)
const fallback = fallbackWeights()

const reportWithout = (name, isOut) => {
  const fitted = fit(rowsOf(seen.filter((document) => !isOut(document))), fallback, undercounted)
  const out = all.filter(isOut)
  const tokens = estimates(rowsOf(out), fitted)
  console.log(
    summary(
      name,
      out.map((document, at) => ({ document, tokens: tokens[at] })),
    ),
  )
}

const fitted = fit(rowsOf(seen), fallback, undercounted)
if (process.argv.includes('--write')) {
  write(fitted)
  console.log('tables written')
} else {
  const written = isWritten(fitted)
  console.log(
    written
      ? 'the source file holds exactly this fit'
      : 'the source file DIFFERS from this fit: --write puts it there',
  )
  if (!written) process.exitCode = 1
  const modelled = estimates(rowsOf(all), fitted)
  if (written && all.some(({ text }, at) => estimateTokens(text) !== modelled[at]))
    throw new Error('features.mjs and token-estimate.ts count differently')
  console.log(header)
  reportWithout('whole sources left out', ({ source }) => sources.includes(source))
  reportWithout(
    'whole languages left out',
    ({ group, category }) => group === 'language' && languages.includes(category),
  )
}
