// Asks every vendor whose key is in the environment ten questions: npm run test:live. It costs
// money, if little, so CI never runs it.
import {
  keyVariables,
  newProvider,
  providerRows,
  resolveEnvironment,
  resolveModel,
} from '@modelport/factory'
import { afterAll, describe, expect, test } from 'vitest'
import { askAll, questions } from './questions.js'

if (process.env['CI'])
  throw new Error('test:live sends requests that cost money; CI must not run it')

const lines: string[] = []
afterAll(() => {
  console.log(lines.join('\n'))
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
      const answers = await askAll({ provider: name, model: cheapestModel })
      for (const { question, status, detail, ms } of answers)
        lines.push(
          `${name.padEnd(18)} ${question.padEnd(22)} ${status.padEnd(8)} ${String(ms).padStart(6)} ms  ${detail}`,
        )
      expect(answers.filter(({ status }) => status === 'failed')).toEqual([])
    },
    600_000,
  )
})
