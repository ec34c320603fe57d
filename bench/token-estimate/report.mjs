// Error figures over documents, as text.
const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
const percent = (value) => `${(100 * value).toFixed(1)} %`.padStart(10)

const share = (errors, bound) => errors.filter((error) => error < bound).length / errors.length

const row = (name, scored) => {
  const errors = scored.map(({ document, tokens }) => tokens / document.tokens - 1)
  const sizes = errors.map(Math.abs).sort((a, b) => a - b)
  const figures = [
    at(sizes, 0.5),
    at(sizes, 0.95),
    share(errors, 0),
    share(errors, -0.1),
    Math.min(...errors),
  ]
  return `${name.padEnd(32)} ${String(scored.length).padStart(6)} ${figures.map(percent).join(' ')}`
}
const groups = (scored, key) =>
  [...Map.groupBy(scored, key)].map(([name, members]) => row(`  ${name}`, members))

export const header = `${''.padEnd(32)} ${'docs'.padStart(6)} ${['median', 'p95', 'under', '10 % under', 'worst'].map((name) => name.padStart(10)).join(' ')}`
/** One line over all, then one per group. */
export const summary = (name, scored) =>
  [row(name, scored), ...groups(scored, ({ document }) => document.group)].join('\n')
/** One line per category of every group. */
export const categories = (scored) =>
  groups(scored, ({ document }) => `${document.group} ${document.category}`).join('\n')
/** One line over all. */
export const overall = row
