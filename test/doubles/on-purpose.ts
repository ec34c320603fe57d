import type { Problem } from './sent-request.ts'

/** A test that sends what its vendor would refuse, and why that is what it is about. */
export interface SentOnPurpose {
  readonly file: RegExp
  readonly title?: RegExp
  /** The start of `api: rule: path`. */
  readonly problem: RegExp
  readonly reason: string
}

/** The table. */
export const sentOnPurpose: readonly SentOnPurpose[] = [
  {
    file: /./,
    problem: /modelport_probe$/,
    reason: 'the conformance kit shows by it that `vendor` reaches the wire',
  },
  {
    file: /ai-sdk\/test\/declarations/,
    problem: /./,
    reason: 'values that only the types of the options say: where they go is what is tested',
  },
  {
    file: /provider-openai\/test\/conformance/,
    title: /an option changes the request/,
    problem: /openai-json-word/,
    reason:
      'the kit shows that the option reaches the wire; what else must be said is of the caller',
  },
  {
    file: /^test\/vendor-on-the-wire/,
    problem: /unknown-field|shape/,
    reason: 'fields of no vendor show that each object of the wire takes what the caller adds',
  },
  {
    file: /conformance\/test\/self/,
    title: /the suite can fail/,
    problem: /./,
    reason: 'these providers break the rules, to show that the suite notices',
  },
  {
    file: /^test\/deep-schemas/,
    problem: /openai-tool-parameters/,
    reason: 'what is in a schema is of the caller; the test is about how deep it may be',
  },
  {
    file: /^test\/many-tools/,
    problem: /openai-tools: tools$/,
    reason:
      'what 200 tools send is compared with what is sent of them; other servers of this API take so many',
  },
  {
    file: /factory\/test\/factory|provider-openai-compatible\/test\/presets/,
    title: /configured reaches the wire|the configuration wins/,
    problem: /unknown-field: [abs]$/,
    reason: 'fields of no vendor show that the configuration reaches the wire',
  },
  {
    file: /provider-anthropic\/test\/replay/,
    problem: /shape: messages.*content/,
    reason:
      'blocks of features that a header announces; the header is not what these tests are about',
  },
  {
    file: /provider-google\/test\/decoder/,
    title: /go back as they came/,
    problem: /fileData/,
    reason: 'an empty part goes back as it came',
  },
  {
    file: /dialog\/test\/vendor-refusals/,
    problem: /openai-reasoning-models/,
    reason:
      'the server of the test refuses it in the words of the vendor, and the caller takes the next way',
  },
  {
    file: /provider-openai\/test\/request/,
    title: /traits override/,
    problem: /openai-reasoning-models/,
    reason: 'the caller says that the model is another one than its name says',
  },
  {
    file: /provider-openai\/test\/request/,
    title: /another server any/,
    problem: /responses-fewest-tokens/,
    reason: 'another server of this API takes fewer tokens',
  },
  {
    file: /provider-openai\/test\/replay/,
    title: /goes back only with its output/,
    problem: /responses-results-follow-calls/,
    reason: 'what the caller adds by `vendor.input` is sent as it is',
  },
]

/** True for a problem that the running test has a row for. */
export const isSentOnPurpose = (
  { file, title }: { readonly file: string; readonly title: string },
  api: string,
  { rule, path }: Problem,
): boolean =>
  sentOnPurpose.some(
    (row) =>
      row.file.test(file) &&
      (row.title?.test(title) ?? true) &&
      row.problem.test(`${api}: ${rule}: ${path}`),
  )
