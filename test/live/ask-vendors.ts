// Asks every vendor whose key is in the environment twelve questions: npm run test:live. It costs
// money, less than a cent each, so CI never runs it. What was seen goes into evidence/live.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPrices } from '@modelport/catalog/prices'
import {
  keyVariables,
  newProvider,
  providerRows,
  resolveEnvironment,
  resolveModel,
} from '@modelport/factory'
import { afterAll, describe, expect, test } from 'vitest'
import { root } from '../support/repository.js'
import { type Seen, toPage } from './page.js'
import { askAll, questions } from './questions.js'

if (process.env['CI'])
  throw new Error('test:live sends requests that cost money; CI must not run it')

const page = join(root, 'evidence/live.md')
const lines: string[] = []
const seen: Seen[] = []
afterAll(() => {
  console.log(lines.join('\n'))
  if (seen.length > 0) writeFileSync(page, toPage(readFileSync(page, 'utf8'), seen))
})

describe.each(
  providerRows.filter(({ offline }) => !offline).map((row) => [row.name, row] as const),
)('%s', (name, row) => {
  const reason = (): string | undefined => {
    if (row.retired !== undefined) return `the vendor closed the service on ${row.retired}`
    if (!row.needsKey)
      return 'its server is the user’s own, or it takes credentials instead of a key'
    if (typeof row.baseUrl !== 'string') return 'each resource has an address of its own'
    const names = keyVariables(resolveModel({ provider: name, model: '-' }))
    return names.some((one) => resolveEnvironment(one) !== undefined)
      ? undefined
      : `none of ${names.join(', ')} is set`
  }
  const skipped = reason()
  if (skipped !== undefined) console.log(`${name.padEnd(18)} skipped: ${skipped}`)

  test.skipIf(skipped !== undefined)(
    `answers the ${Object.keys(questions).length} questions`,
    async () => {
      const { cheapestModel } = await newProvider(name)
      const { prices } = findPrices(name, cheapestModel)
      const profile = prices && { profile: { prices } }
      const report = await askAll({ provider: name, model: cheapestModel, ...profile })
      const { answers } = report
      const date = new Date().toISOString().slice(0, 10)
      seen.push({ vendor: name, model: cheapestModel, date, ...report })
      for (const { question, status, detail, ms } of answers)
        lines.push(
          `${name.padEnd(18)} ${question.padEnd(22)} ${status.padEnd(8)} ${String(ms).padStart(6)} ms  ${detail}`,
        )
      expect(answers.filter(({ status }) => status === 'failed')).toEqual([])
    },
    600_000,
  )
})
