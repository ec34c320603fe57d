import type { RuleGroup } from './rules.js'
import type { ReportedCheck, RunReport, Tally } from './run.js'

/** Titles of the groups, in the order of the report. */
export const groupTitles: Readonly<Record<RuleGroup, string>> = {
  content: 'content',
  tools: 'tools',
  requests: 'requests',
  bytes: 'bytes',
  cuts: 'cuts',
  errors: 'errors',
  ours: 'ours: our view (does not count)',
}

const style = `body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem}
table{border-collapse:collapse}th,td{border:1px solid #bbb;padding:.25rem .6rem;text-align:left}
pre{background:#f4f4f4;overflow:auto;padding:.5rem;white-space:pre-wrap;word-break:break-word}
summary{cursor:pointer}.failed{color:#a40000}`

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}
const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => escapes[character] ?? character)

/** Passed of those that apply, for example `12 of 14`. */
export const tallyText = (tally: Tally | undefined): string =>
  tally && tally.passed + tally.failed ? `${tally.passed} of ${tally.passed + tally.failed}` : '–'

/** The report on clients as a page. */
export function htmlReport(reports: readonly RunReport[]): string {
  const groups = Object.keys(groupTitles) as RuleGroup[]
  const head = ['client', 'version', 'wire', ...groups.map((group) => groupTitles[group])]
  const rows = reports.map((report) => [
    report.client,
    report.version,
    report.wire,
    ...groups.map((group) => tallyText(report.groups[group])),
  ])
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Clients of language models</title><style>${style}</style>
<h1>Clients of language models</h1>
<p>Rules that a client keeps, of those that apply to it.</p>
<table><thead>${rowOf('th', head)}</thead><tbody>${rows.map((row) => rowOf('td', row)).join('\n')}</tbody></table>
${reports.map(sectionOf).join('\n')}
</html>
`
}

const rowOf = (tag: 'td' | 'th', cells: readonly string[]): string =>
  `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`

function sectionOf({ client, version, wire, checks, missing }: RunReport): string {
  const failed = checks.filter(({ state }) => state === 'failed')
  const skipped = checks.filter(({ state }) => state === 'not-applicable')
  return `<h2>${escaped(`${client} ${version}, ${wire}`)}</h2>
${missing.length ? `<p>Not observed: ${escaped(missing.join(', '))}</p>` : ''}
<h3>Failed: ${failed.length}</h3>
${grouped(failed, ({ rule }) => rule)
  .map(ruleOf)
  .join('\n')}
<h3>Not applicable: ${skipped.length}</h3>
<ul>${skipped.map(({ title, rule, found = '' }) => `<li>${escaped(`${title} (${rule}): ${found}`)}</li>`).join('')}</ul>
<details><summary>Passed: ${checks.length - failed.length - skipped.length}</summary><ul>${checks
    .filter(({ state }) => state === 'passed')
    .map(({ title, rule }) => `<li>${escaped(`${title} (${rule})`)}</li>`)
    .join('')}</ul></details>`
}

/** What failed of a rule: cases in which the same was found are one. */
function ruleOf(checks: readonly ReportedCheck[]): string {
  const [{ rule, sentence, source } = {} as Partial<ReportedCheck>] = checks
  const where =
    source === undefined
      ? 'our view'
      : `<a href="${escaped(source)}">${escaped(new URL(source).host)}</a>`
  const alike = grouped(checks, ({ expected, found }) => JSON.stringify([expected, found]))
  return `<details><summary class="failed">${escaped(`${rule}: ${countOf(checks)}`)}</summary>
<p>${escaped(sentence ?? '')} (${where})</p>
${alike.map(failureOf).join('\n')}
</details>`
}

/** Those of one key together, in the order in which the keys came. */
function grouped(
  checks: readonly ReportedCheck[],
  keyOf: (check: ReportedCheck) => string,
): readonly (readonly ReportedCheck[])[] {
  const groups = new Map<string, ReportedCheck[]>()
  for (const check of checks) {
    const group = groups.get(keyOf(check)) ?? []
    groups.set(keyOf(check), [...group, check])
  }
  return [...groups.values()]
}

const countOf = ({ length }: readonly unknown[]): string =>
  length === 1 ? '1 case' : `${length} cases`

/** Cases in which the same was found, with the bytes of the first. */
function failureOf(checks: readonly ReportedCheck[]): string {
  const [first] = checks
  const { expected = '', found = '', curl = '', served = [], sent = [] } = first ?? {}
  return `<h4>${checks.map(({ case: id, title }) => `${escaped(title)} (<code>${escaped(id)}</code>)`).join('<br>')}</h4>
<pre>expected ${escaped(expected)}
found    ${escaped(found)}</pre>
<details><summary>By hand, bytes and requests${checks.length > 1 ? ' of the first' : ''}</summary>
<p>By hand:</p><pre>${escaped(curl)}</pre>
<p>Bytes of the server:</p><pre>${escaped(served.join('\n'))}</pre>
<p>Requests of the client:</p><pre>${escaped(sent.map((body) => JSON.stringify(body)).join('\n'))}</pre>
</details>`
}
