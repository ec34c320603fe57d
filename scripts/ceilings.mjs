// How much there is of modelport, and the most there may be: ceilings.json. It also lists, by
// package, the exports that nobody needs. With `--update` it lowers the ceilings to today's
// figures, down to their targets; they never rise.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measure, measureExports, readCeilings } from './exports.mjs'
import { root } from './workspaces.mjs'

const file = readCeilings()
const measured = measureExports(file.kept)
const figures = measure(measured)

for (const { name, exports } of measured) {
  const unneeded = (isType) =>
    exports.filter((found) => !found.isNeeded && found.isType === isType).map((found) => found.name)
  const [values, types] = [unneeded(false), unneeded(true)]
  console.log(`${name}: ${exports.length} names`)
  if (values.length > 0) console.log(`  values that nobody needs: ${values.join(' ')}`)
  if (types.length > 0) console.log(`  types that nobody needs: ${types.join(' ')}`)
}
for (const [figure, { ceiling, target }] of Object.entries(file.ceilings)) {
  console.log(`${figure}: ${figures[figure]}, at most ${ceiling}, to become ${target}`)
  if (figures[figure] > ceiling) process.exitCode = 1
}
if (process.argv.includes('--update')) {
  for (const [figure, limit] of Object.entries(file.ceilings))
    limit.ceiling = Math.min(limit.ceiling, Math.max(limit.target, figures[figure]))
  writeFileSync(join(root, 'scripts/ceilings.json'), `${JSON.stringify(file, null, 2)}\n`)
}
