// Asymmetric regression on relative errors, then rounding to the few levels the source file can
// hold.
import {
  blocks,
  countFeatures,
  first,
  letterOfBlock,
  letters,
  long,
  pairs,
  size,
  transitions,
} from './features.mjs'

/** Undercounts weigh this much more than overcounts in the loss. */
const undercountWeight = 8
/** Tokens added per square root of the estimate: short texts vary more. */
export const spread = 0.5
/** A weight of 1 in the tables is this many tokens before scaling. */
export const unit = 0.05
/** The levels of letter pairs and of punctuation marks: how many, and how many units apart. */
export const pairLevels = { count: 3, step: 10 }
export const markLevels = { count: 6, step: 5 }
/** What one more run of blocks in the source file must save in weighted squared error. */
const runPrice = 1
/**
 * Blocks below this mass are weighed by the tokens of their single characters instead of by text.
 */
const rareMass = 0.05
/** A category with fewer documents than this counts as if it had so many, up to eightfold. */
const enough = 40
/**
 * Blocks of 16 code points between places where the table may change: fine where scripts are small,
 * coarse in Han, none in Hangul.
 */
const grain = (block) =>
  block < 0x70 || block >> 4 === 0x20 || block >> 4 === 0x30 || block >> 5 === 0x6c
    ? 1
    : block >= 0xac0 && block < 0xd80
      ? 4096
      : block >= 0x4e0 && block < 0xa00
        ? 32
        : 8

const isPair = (feature) => feature < pairs + letters * letters
const isMark = (feature) => feature >= first && feature < blocks
/**
 * Weights that must not vanish: blanks, line ends, one mark over and over, and letters without end
 * all cost something.
 */
const lowest = (feature) =>
  feature === long || feature >= blocks
    ? 2 * unit
    : feature >= transitions && feature < transitions + 36
      ? unit
      : 0
const categoryOf = ({ group, category }) => `${group}/${category}`
const rounded = (weight, { count, step }) =>
  Math.min(count - 1, Math.round(weight / unit / step)) * step * unit

/**
 * One row per document: its features with their counts per reference token. Documents of small
 * categories weigh more.
 */
export const rowsOf = (documents) => {
  const counts = new Float64Array(size)
  const members = Map.groupBy(documents, categoryOf)
  return documents.map((document) => {
    const weight = Math.min(8, Math.max(1, enough / members.get(categoryOf(document)).length))
    const seen = []
    countFeatures(document.text, (feature) => {
      if (counts[feature]++ === 0) seen.push(feature)
    })
    const row = {
      document,
      weight,
      features: Int32Array.from(seen),
      shares: Float64Array.from(seen, (feature) => counts[feature] / document.tokens),
    }
    for (const feature of seen) counts[feature] = 0
    return row
  })
}

const sum = ({ features, shares }, weights) => {
  let total = 0
  for (let at = 0; at < features.length; at++) total += weights[features[at]] * shares[at]
  return total
}
/** Estimate in tokens for every row. */
export const estimates = (rows, { weights, scale }) =>
  rows.map((row) => {
    const tokens =
      Number((scale * unit).toFixed(5)) *
      Math.round((sum(row, weights) * row.document.tokens) / unit)
    return Math.ceil(tokens + spread * Math.sqrt(tokens))
  })

/** Adam on the loss. `frozen` weights stay as they are; features of one `group` share a weight. */
const solve = (
  rows,
  weights,
  { frozen = () => false, group = (feature) => feature, iterations = 400, rate = 0.04 } = {},
) => {
  const active = [...new Set(rows.flatMap(({ features }) => [...features]))].filter(
    (feature) => !frozen(feature),
  )
  const leader = Int32Array.from({ length: size }, (_, feature) => group(feature))
  const leaders = [...new Set(active.map((feature) => leader[feature]))]
  const [gradient, mean, variance] = [0, 0, 0].map(() => new Float64Array(size))
  for (let step = 1; step <= iterations; step++) {
    gradient.fill(0)
    for (const row of rows) {
      const total = sum(row, weights)
      const margin = spread * Math.sqrt(total / row.document.tokens)
      const error = total + margin - 1
      const slope =
        error > 0 ? Math.min(1, error / 0.03) : -undercountWeight * Math.min(1, -error / 0.03)
      const share = (slope * (1 + margin / 2 / Math.max(total, 1e-6)) * row.weight) / rows.length
      for (let at = 0; at < row.features.length; at++)
        gradient[leader[row.features[at]]] += share * row.shares[at]
    }
    const pace =
      rate * Math.min(1, step / 20) * (0.02 + 0.49 * (1 + Math.cos((Math.PI * step) / iterations)))
    for (const feature of leaders) {
      const slope = gradient[feature] + 3e-5 * weights[feature]
      mean[feature] = 0.9 * mean[feature] + 0.1 * slope
      variance[feature] = 0.999 * variance[feature] + 0.001 * slope * slope
      weights[feature] -=
        (pace * (mean[feature] / (1 - 0.9 ** step))) /
        (Math.sqrt(variance[feature] / (1 - 0.999 ** step)) + 1e-8)
      weights[feature] = feature === long ? 2 * unit : Math.max(lowest(feature), weights[feature])
    }
    for (const feature of active) weights[feature] = weights[leader[feature]]
  }
}

/**
 * Cuts a stretch of blocks into pieces of one weight each: dynamic programming over squared error
 * weighted by use, plus a price per piece.
 */
const cutStretch = (from, to, value, mass) => {
  const count = to - from
  const [w, wx, wxx] = [0, 0, 0].map(() => new Float64Array(count + 1))
  for (let at = 0; at < count; at++) {
    const m = mass(from + at)
    const x = value(from + at)
    w[at + 1] = w[at] + m
    wx[at + 1] = wx[at] + m * x
    wxx[at + 1] = wxx[at] + m * x * x
  }
  const best = new Float64Array(count + 1).fill(Infinity)
  const cut = new Int32Array(count + 1)
  best[0] = 0
  for (let end = 1; end <= count; end++) {
    if (end < count && (from + end) % grain(from + end) > 0) continue
    for (let start = 0; start < end; start++) {
      if (best[start] === Infinity) continue
      const x = wx[end] - wx[start]
      const cost = best[start] + wxx[end] - wxx[start] - (x * x) / (w[end] - w[start]) + runPrice
      if (cost < best[end]) [best[end], cut[end]] = [cost, start]
    }
  }
  const pieces = []
  for (let end = count; end > 0; end = cut[end])
    pieces.unshift({
      from: from + cut[end],
      to: from + end,
      weight: (wx[end] - wx[cut[end]]) / (w[end] - w[cut[end]]),
    })
  return pieces
}
/**
 * How much squared relative error a unit of squared weight error in a block makes, over all rows.
 */
const blockMass = (rows) => {
  const mass = new Float64Array(4096)
  for (const { features, shares, weight } of rows) {
    let total = 0
    for (let at = 0; at < features.length; at++) if (features[at] >= blocks) total += shares[at]
    for (let at = 0; at < features.length; at++)
      if (features[at] >= blocks) mass[features[at] - blocks] += weight * shares[at] * total
  }
  return mass
}
const cutBlocks = (weights, mass, fallback) => {
  const runs = []
  for (let from = 0, to; from < 4096; from = to) {
    for (to = from; to < 4096 && letterOfBlock(to) === letterOfBlock(from); ) to++
    if (letterOfBlock(from)) runs.push({ from, to, letter: letterOfBlock(from) })
    else
      runs.push(
        ...cutStretch(
          from,
          to,
          (block) => (mass[block] > rareMass ? weights[blocks + block] : fallback[block]),
          (block) => Math.max(rareMass, mass[block]),
        ),
      )
  }
  return runs
}

/**
 * Fits the tables: everything continuous first; then letter pairs on their levels, blocks in runs,
 * punctuation on its levels, each with a refit of what is still free. `fallback` has the weight of
 * every block that too few documents use.
 */
export const fitTables = (rows, fallback) => {
  const use = new Float64Array(size)
  for (const { features, shares, weight } of rows)
    for (let at = 0; at < features.length; at++) use[features[at]] += weight * shares[at]
  const weights = new Float64Array(size).fill(0.2)
  solve(rows, weights)
  for (let pair = pairs; isPair(pair); pair++)
    weights[pair] = rounded(use[pair] < 0.3 ? Infinity : weights[pair], pairLevels)
  const runs = cutBlocks(weights, blockMass(rows), fallback)
  const runOf = new Int32Array(4096)
  for (const { from, to, weight } of runs) {
    runOf.fill(from, from, to)
    weights.fill(weight ?? 0, blocks + from, blocks + to)
  }
  const group = (feature) => (feature < blocks ? feature : blocks + runOf[feature - blocks])
  const runUse = new Float64Array(size)
  for (let block = blocks; block < size; block++) runUse[group(block)] += use[block]
  const isRare = (feature) => feature >= blocks && runUse[group(feature)] < 1
  solve(rows, weights, {
    group,
    frozen: (feature) => isPair(feature) || isRare(feature),
    iterations: 200,
    rate: 0.02,
  })
  for (let mark = first; isMark(mark); mark++)
    weights[mark] = rounded(use[mark] === 0 ? 1 : weights[mark], markLevels)
  solve(rows, weights, {
    group,
    frozen: (feature) => isPair(feature) || isMark(feature) || isRare(feature),
    iterations: 200,
    rate: 0.02,
  })
  for (const { from } of runs)
    weights[blocks + from] = rounded(weights[blocks + from], { count: 64, step: 1 })
  for (let feature = transitions; feature < first; feature++)
    weights[feature] = rounded(weights[feature], { count: 64, step: 1 })
  for (const { from, to } of runs) weights.fill(weights[blocks + from], blocks + from, blocks + to)
  polish(rows, weights, group, (feature) => {
    const { count, step } = isPair(feature)
      ? pairLevels
      : isMark(feature)
        ? markLevels
        : { count: feature === long ? 3 : 60, step: isRare(feature) ? 0 : 1 }
    return { step: step * unit, most: (count - 1) * step * unit }
  })
  for (const run of runs) {
    if (run.letter) continue
    run.weight = weights[blocks + run.from]
    weights.fill(run.weight, blocks + run.from, blocks + run.to)
  }
  return { weights, runs }
}

const lossOf = (total, tokens) => {
  const error = total + spread * Math.sqrt(total / tokens) - 1
  const size = Math.abs(error)
  return (error < 0 ? undercountWeight : 1) * (size < 0.03 ? (size * size) / 0.06 : size - 0.015)
}
/** Moves one rounded weight at a time up or down a step as long as the loss falls. */
const polish = (rows, weights, group, stepOf) => {
  const totals = Float64Array.from(rows, (row) => sum(row, weights))
  const columns = new Map()
  for (const [at, { features, shares }] of rows.entries()) {
    const own = new Map()
    for (let index = 0; index < features.length; index++)
      own.set(group(features[index]), (own.get(group(features[index])) ?? 0) + shares[index])
    for (const [feature, share] of own) {
      if (!columns.has(feature)) columns.set(feature, [])
      columns.get(feature).push(at, share)
    }
  }
  const change = (column, delta) => {
    let difference = 0
    for (let index = 0; index < column.length; index += 2) {
      const at = column[index]
      const { weight, document } = rows[at]
      difference +=
        weight *
        (lossOf(totals[at] + delta * column[index + 1], document.tokens) -
          lossOf(totals[at], document.tokens))
    }
    return difference
  }
  for (let pass = 0; pass < 3; pass++) {
    for (const [feature, column] of columns) {
      const { step, most } = stepOf(feature)
      for (const delta of [step, -step]) {
        const moved = weights[feature] + delta
        if (
          step === 0 ||
          moved > most + 1e-9 ||
          moved < lowest(feature) - 1e-9 ||
          change(column, delta) >= 0
        )
          continue
        weights[feature] = moved
        for (let index = 0; index < column.length; index += 2)
          totals[column[index]] += delta * column[index + 1]
        break
      }
    }
  }
}

/** The smallest scale that leaves at most this share of the scored rows undercounted. */
const scaleFor = (scored, share) => {
  const needed = scored
    .map(({ row, weights }) => {
      const { tokens } = row.document
      const root = (Math.sqrt(spread * spread + 4 * (tokens - 0.5)) - spread) / 2
      return (root * root) / (sum(row, weights) * tokens)
    })
    .sort((a, b) => b - a)
  return needed[Math.floor(share * needed.length)]
}

/**
 * Tables fitted on the rows, and the scale that three-fold cross-validation over whole files asks
 * for.
 */
export const fit = (rows, fallback, share) => {
  const scored = [0, 1, 2].flatMap((fold) => {
    const { weights } = fitTables(
      rows.filter(({ document }) => document.fold !== fold),
      fallback,
    )
    return rows.filter(({ document }) => document.fold === fold).map((row) => ({ row, weights }))
  })
  return { ...fitTables(rows, fallback), scale: scaleFor(scored, share) }
}
