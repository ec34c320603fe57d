import { providerRows } from '@modelport/factory'
import type { Report } from './questions.js'

/** What was seen when a vendor was asked, as a row of the page. */
export interface Seen extends Report {
  readonly vendor: string
  readonly model: string
  /** Such as `2026-11-30`. */
  readonly date: string
}

/** Vendors that a key alone is enough to ask. */
export const askedVendors: readonly string[] = providerRows
  .filter(
    ({ offline, retired, needsKey, baseUrl }) =>
      !offline && retired === undefined && needsKey && typeof baseUrl === 'string',
  )
  .map(({ name }) => name)

/** A row for a vendor that nobody has asked. */
const never = (vendor: string): string => `| ${vendor} | never | | | | |`

function rowOf({ vendor, model, date, answers, cost }: Seen): string {
  const count = (status: string): number =>
    answers.filter((answer) => answer.status === status).length
  const others = answers
    .filter(({ status }) => status !== 'ok')
    .map(({ question, status, detail }) => `${question} ${status}: ${detail.replaceAll('|', '/')}`)
  const cells = [
    vendor,
    date,
    model,
    `${count('ok')} of ${answers.length}`,
    others.join('; '),
    cost === undefined ? 'no prices' : `${cost.toFixed(5)} USD`,
  ]
  return `| ${cells.join(' | ')} |`
}

/** The page with rows for what was seen; the rows of the others stay as they are. */
export function toPage(page: string, seen: readonly Seen[]): string {
  const rows = new Map(askedVendors.map((vendor) => [vendor, never(vendor)]))
  for (const line of page.split('\n')) {
    const [, vendor = ''] = /^\| ([\w-]+) \|/.exec(line) ?? []
    if (rows.has(vendor)) rows.set(vendor, line)
  }
  for (const one of seen) rows.set(one.vendor, rowOf(one))
  return `# What vendors replied

After reading this page you know which vendors were asked live, when, with which model, and what came of it.

\`npm run test:live\` asks each vendor whose key is in the environment [the same twelve questions](../test/live/questions.ts), under a budget of a cent for
each vendor, and writes its row. *Never* means what it says: what the other pages claim of that vendor was tried on doubles of its API alone.

| vendor | asked | model | passed | the rest | cost |
|---|---|---|---|---|---|
${[...rows.values()].join('\n')}

Vendors with an account in a cloud (Azure, Bedrock, Vertex AI, Foundry) are not asked by this command, and were never asked. Servers of one's own,
such as llama-server, are asked by \`npm run demo -- --local\` and by the tests.
`
}
