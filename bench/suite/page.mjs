// Writes the page of the results.

const groups = {
  content: 'content',
  tools: 'tools',
  requests: 'requests',
  bytes: 'bytes',
  cuts: 'cuts',
  errors: 'errors',
  ours: '*our view*',
}

const cellOf = (tally) =>
  tally && tally.passed + tally.failed ? `${tally.passed}/${tally.passed + tally.failed}` : '–'

const rowOf = (cells) => `| ${cells.join(' | ')} |`

/** What failed, by rule: the cases of a rule fail for one reason nearly always. */
function failuresOf({ client, wire, checks }) {
  const failed = checks.filter(({ state, group }) => state === 'failed' && group !== 'ours')
  if (!failed.length) return ''
  const byRule = Map.groupBy(failed, ({ rule }) => rule)
  const items = [...byRule].map(([, [first, ...rest]]) => {
    const more = rest.length ? `, and ${rest.length} more` : ''
    return [
      `- ${first.sentence} ([source](${first.source}))`,
      `  - ${first.title}${more}`,
      '',
      '  ```text',
      `  expected ${inLine(first.expected)}`,
      `  found    ${inLine(first.found)}`,
      '  ```',
      '',
      '  ```sh',
      ...first.curl.split('\n').map((line) => `  ${line}`),
      '  ```',
      '',
    ].join('\n')
  })
  const note = notes[`${client} ${wire}`]
  if (note === undefined)
    throw new Error(
      `confirm what failed by hand, and write what you saw into the notes: ${client} ${wire}\n${items.join('\n')}`,
    )
  return `### ${client}, ${wire}\n\n${note}\n\n${items.join('\n')}\n`
}

const inLine = (text) => {
  const line = text.replace(/[\u2028\u2029\ufeff]/g, '?')
  return line.length > 200 ? `${line.slice(0, 200)}…` : line
}

/**
 * What a person saw in the client's source while confirming its failures. No failure is published
 * without it.
 */
const notes = {
  '@langchain/anthropic messages': `Confirmed 2026-11-30: \`dist/utils/message_outputs.js\` adds the \`output_tokens\` of
\`message_start\` to those of \`message_delta\`, which the vendor calls cumulative. With one more \`message_delta\` the sum grows further.`,
  '@earendil-works/pi-ai messages': `Confirmed 2026-11-30: \`dist/api/anthropic-messages.js\` reads a CR at the end of what has come as the end of a line, and the LF
that comes next as an empty line. CRLF that the network divides there ends an event too early.`,
  'xsai chat': `Confirmed 2026-11-30: \`@xsai/stream-text\` divides a stream at \`\\n\` alone, so \`[DONE]\\r\` is parsed as JSON, and CR alone ends no
line. In \`@xsai/shared-chat\` the first step is never the last one unless its reason is \`stop\`: after \`length\` or \`content_filter\` a second request is
made although one step is allowed.`,
  '@langchain/google-genai gemini': `Confirmed 2026-11-30: \`@google/generative-ai\` 0.24.1, which it uses, takes a stream apart by
\`/^data: (.*)(?:\\n\\n|\\r\\r|\\r\\n\\r\\n)/\`, so a comment, an empty line, or \`data:\` without a space ends it; the rejection is handled nowhere, and
ends a program of Node. Google's own server was not seen to write such lines; proxies before it do.`,
}

const notApplicable = (reports) =>
  reports
    .flatMap(({ client, wire, checks }) => {
      const reasons = new Set(
        checks.filter(({ state }) => state === 'not-applicable').map(({ found }) => found),
      )
      return [...reasons].map((reason) => rowOf([client, wire, reason]))
    })
    .join('\n')

const ours = (reports) =>
  reports
    .map(({ client, wire, checks }) => {
      const failed = checks.filter(({ state, group }) => state === 'failed' && group === 'ours')
      const counts = Map.groupBy(failed, ({ rule }) => rule)
      const text = [...counts].map(([rule, found]) => `${rule} ${found.length}`).join(', ')
      return rowOf([client, wire, text || 'none'])
    })
    .join('\n')

/** The whole page. */
export function evidencePage(reports) {
  const head = ['client', 'version', 'wire', ...Object.values(groups)]
  const rows = reports.map(({ client, version, wire, groups: tallies }) =>
    rowOf([client, version, wire, ...Object.keys(groups).map((group) => cellOf(tallies[group]))]),
  )
  return `# Results of the suite for clients

After reading this page you know which documented behaviour each client keeps, and how to see a failure with your own eyes.

\`pnpm client-suite\` runs [the suite](../docs/client-suite.md) with each driver in \`bench/suite/drivers\`, and writes this page: change \`bench/suite/page.mjs\`, not the page.
A number is checks that passed of those that apply. A check is one rule in one case. Each failure below was confirmed by hand before it was published. *Our view* is
what no vendor documents; it does not count. Something wrong? [Dispute it](../docs/client-suite.md#dispute-a-rule).

${rowOf(head)}
${rowOf(head.map(() => '---'))}
${rows.join('\n')}

Clients give out what they know in their own way, so a driver decides a little: each is one file, to read and to correct.

## Failures

The server of each \`curl\` is \`npx @modelport/conformance serve\`.

${reports.map(failuresOf).join('')}## Not applicable

| client | wire | reason |
| --- | --- | --- |
${notApplicable(reports)}

## Where our view is not kept

The rules are explained in [rules.ts](../packages/conformance/src/served/rules.ts). A number is cases.

| client | wire | rules |
| --- | --- | --- |
${ours(reports)}
`
}
