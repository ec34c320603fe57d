import type { Dialect } from './apis.ts'
import { amendments, extras } from './extra-fields.ts'
import { sentOnPurpose } from './on-purpose.ts'
import { rules } from './rules.ts'

const headings: Readonly<Record<Exclude<Dialect, 'other'>, string>> = {
  responses: "OpenAI's Responses API",
  chat: 'Chat Completions',
  messages: "Anthropic's Messages API",
  converse: "Amazon Bedrock's Converse",
  gemini: 'Gemini',
  ollama: 'Ollama',
  form: 'Uploads: files and batches',
}

const cell = (text: string): string => text.replaceAll('|', '\\|')
const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`
const link = (url: string): string => `[source](${url})`
const code = (words: string): string =>
  words
    .split(' ')
    .map((word) => `\`${word}\``)
    .join(' ')

/** The tables of the page, by their heading. A rule of two dialects stands under the first. */
function ruleTables(): readonly string[] {
  return Object.entries(headings).flatMap(([dialect, heading]) => {
    const own = rules.filter((rule) => rule.dialects[0] === dialect)
    return [
      `### ${heading}`,
      '',
      row(['rule', 'what it says', 'servers', '']),
      row(['---', '---', '---', '---']),
      ...own.map(({ name, says, vendors, apis, dialects, source }) =>
        row([
          `\`${name}\``,
          says,
          vendors?.join(', ') ??
            apis?.join(', ') ??
            (dialects.length > 1 ? 'all, and those of Chat Completions' : 'all'),
          link(source),
        ]),
      ),
      '',
    ]
  })
}

/** The page. `shapes` are the sources of the shapes. */
export const toPage = (shapes: readonly (readonly [file: string, source: string])[]): string =>
  [
    '# Servers as strict as their vendors',
    '',
    'After reading this page you know which requests the tests of this repository refuse, by which rules, and what a new rule needs.',
    '',
    'Every request that a provider sends in a test is checked before it reaches whatever the test put in the place of the server: a server of the kit, or a `fetch` of the',
    'test. A request that the vendor would refuse gets the refusal of the vendor, status and form of the error, and fails the test, with the rule and the place in the body:',
    '',
    '```text',
    'the vendor would refuse what this test sends:',
    '  anthropic-messages: messages-thinking-budget: max_tokens: `max_tokens` must be greater than `thinking.budget_tokens`',
    '```',
    '',
    'The check is `test/doubles/check-request.ts`. It is test data of this repository: no package has it. Servers of the kit ask it by `globalThis[Symbol.for(',
    "'modelport.wire-check')]`; your own tests may pass a `check` of your own to `startWireServer`. A test that is about a request that a vendor refuses has a row in",
    '`on-purpose.ts` with its reason, or takes the refusals by `takeRefusals()`.',
    '',
    '## Shapes',
    '',
    'The fields of a request, and the type of each, come from packages that describe the wire; after an upgrade of one, `node scripts/shapes.mjs` writes them anew, and a test',
    'says so. A field that a shape does not have is refused. Ollama ignores such a field, which helps nobody, so it is refused there as well.',
    '',
    row(['shapes', 'written from']),
    row(['---', '---']),
    ...shapes.map(([file, source]) => row([`\`${file}\``, source])),
    '',
    'Uploads to OpenAI and Anthropic are forms. Their shapes are written by hand, and their names compared with the packages; each line of the file of a batch is checked as',
    'the request that it is.',
    '',
    '## Rules',
    '',
    'What a type does not say. Each rule has a request in `broken-requests.ts` or `broken-uploads.ts` that breaks it and nothing else.',
    '',
    ...ruleTables(),
    '## What is sent beyond the shapes',
    '',
    row(['API', 'where', 'fields, or types of items', 'servers', 'why', '']),
    row(['---', '---', '---', '---', '---', '---']),
    ...extras.map(({ api, at, fields, items, vendors, header, reason, source }) =>
      row([
        api,
        at ? `\`${at}\`` : 'the body',
        code(fields ?? items ?? ''),
        header ? `\`${header.join(': ')}\`` : (vendors?.join(', ') ?? 'all but its own vendor'),
        reason,
        link(source),
      ]),
    ),
    ...amendments.map(({ shapes: file, definition, field, is, reason, source }) =>
      row([
        file,
        `\`${definition}\``,
        code(field),
        is === 'optional' ? 'all: it may be left out' : 'all',
        reason,
        link(source),
      ]),
    ),
    '',
    '## Tests that send what a vendor refuses',
    '',
    row(['problem', 'why it is sent']),
    row(['---', '---']),
    ...sentOnPurpose.map(({ problem, reason }) => row([`\`${problem.source}\``, reason])),
    '',
  ].join('\n')
