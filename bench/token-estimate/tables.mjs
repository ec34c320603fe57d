// Writes a fit as the string constants of packages/core/src/token-estimate.ts.
import { readFileSync, writeFileSync } from 'node:fs'
import { first, letters, long, pairs, transitions, upper } from './features.mjs'
import { pairLevels, unit } from './solve.mjs'

const source = new URL('../../packages/core/src/token-estimate.ts', import.meta.url)
const units = (weight) => Math.round(weight / unit)
const character = (value) => String.fromCharCode(value)
const quoted = (text) => `'${text.replace(/[\\']/g, '\\$&')}'`
const wrapped = (text) =>
  text
    .match(/.{1,140}/g)
    .map(quoted)
    .join('\n  + ')

/** The constants of the source file for a fit, by name. */
const constants = ({ weights, runs, scale }) => {
  const levels = Array.from({ length: letters * letters + 1 }, (_, at) =>
    at < letters * letters ? units(weights[pairs + at]) / pairLevels.step : 0,
  )
  const pieces = runs.flatMap(({ from, to, letter, weight }) => {
    const value = letter ? letter + 13 : 43 + units(weight)
    const lengths = [...Array(Math.floor((to - from) / 50)).fill(50), (to - from) % 50].filter(
      (length) => length > 0,
    )
    return lengths.map((length) => character(39 + length) + character(value))
  })
  return {
    pairs: wrapped(
      Array.from({ length: levels.length / 2 }, (_, at) =>
        character(40 + levels[2 * at] * pairLevels.count + levels[2 * at + 1]),
      ).join(''),
    ),
    transitions: quoted(
      Array.from({ length: 36 }, (_, at) => character(40 + units(weights[transitions + at]))).join(
        '',
      ),
    ),
    marks: quoted(
      Array.from({ length: 94 }, (_, at) =>
        /[a-z0-9]/i.test(character(33 + at)) ? '(' : character(40 + units(weights[first + at])),
      ).join(''),
    ),
    runs: wrapped(pieces.join('')),
    upper: String(units(weights[upper])),
    long: String(units(weights[long])),
    unit: (scale * unit).toFixed(5),
  }
}
const pattern = (name) => new RegExp(`^const ${name} = [^\\n]*(?:\\n  \\+ [^\\n]*)*`, 'm')

/** True when the source file holds exactly this fit. */
export const isWritten = (fitted) => {
  const text = readFileSync(source, 'utf8')
  return Object.entries(constants(fitted)).every(
    ([name, value]) => pattern(name).exec(text)?.[0] === `const ${name} = ${value}`,
  )
}
/** Puts this fit into the source file. */
export const write = (fitted) => {
  const values = Object.entries(constants(fitted))
  writeFileSync(
    source,
    values.reduce(
      (text, [name, value]) => text.replace(pattern(name), () => `const ${name} = ${value}`),
      readFileSync(source, 'utf8'),
    ),
  )
}
