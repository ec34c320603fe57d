// Lists, by package, how many names it exports, and those that nobody needs. Fails if there is one:
// delete it, or write into kept-exports.json why it stays.
import { measureExports, readKept } from './exports.ts'

for (const { name, exports } of measureExports(readKept())) {
  const unneeded = exports.filter(({ isNeeded }) => !isNeeded)
  const values = unneeded.filter(({ isType }) => !isType).map((found) => found.name)
  const types = unneeded.filter(({ isType }) => isType).map((found) => found.name)

  console.log(`${name}: ${exports.length} names`)
  if (values.length > 0) console.log(`  values that nobody needs: ${values.join(' ')}`)
  if (types.length > 0) console.log(`  types that nobody needs: ${types.join(' ')}`)
  if (unneeded.length > 0) process.exitCode = 1
}
