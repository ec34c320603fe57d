// What a program weighs that imports this much: bundled, minified, gzipped. Fails above the limit.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { buildPage } from '../packages/studio/build-page.mjs'
import { bundleForBrowser } from '../test/support/bundle.ts'

const compatible = '@modelport/provider-openai-compatible'

// What is imported, and the most bytes, min+gzip: what it weighs now and one in a hundred. All are
// measured as a browser gets them, without undici.
const programs = [
  // 0.25 kB more since a model in vendor fields is refused for every provider, and since guards,
  // the base of readers and the check for polluting keys are written once, here; every other
  // package lost its copy. All rose by 0.2 kB, and all that include the driver by 0.3 kB, with the
  // slots by which calls and runs are seen.
  { name: 'core, all of it', code: 'export * from "@modelport/core"', limit: 6_850 },
  // It rose by 2 kB with forms, files and batches; a program that only talks has none of them in
  // its bundle. 0.3 kB more, here and in each provider, since a refusal of tools is told from other
  // refusals. 0.6 kB more since JSON requests have an exchange of their own, and replies may be
  // lines of text. It and every provider rose by 0.7 kB with what not every API can be asked for
  // (`fit-turn.ts`), fields of `vendor` in all requests, and a refused temperature; openai by 1.2
  // kB more with conversations that the server keeps, what speaks Chat Completions by 0.6 kB with
  // audio and what routers report. The presets and openai rose by 0.2 kB with texts of `stop`,
  // tokens of predicted replies, marks of the cache on parts, details of images, and the address in
  // the error of a path that is not there. It and every provider rose by 0.1 kB with the copy of
  // their settings, and by 0.27 kB with names of the AI SDK and refused images. And by 0.1 kB with
  // messages for roles, ids and formats as other libraries write them. It and every provider rose
  // by 0.2 kB with what makes a call cheaper: an address that is parsed once, settled calls that
  // are freed at once. And by 0.4 kB with closed schemas, which two providers need: it moved from
  // one of them, and the other rose by as much. And by 0.2 kB with refused tools that are not
  // definitions and models without a name; by 0.2 kB of its own with JSON pointers for those who
  // read schemas.
  {
    name: 'driver, all of it, with core',
    code: 'export * from "@modelport/driver"',
    limit: 30_750,
  },
  // All that have the driver rose by 1.2 kB with the names of all settings and options, the
  // distance between two names, and where a setting belongs: a misspelled one is refused in
  // JavaScript too. And by 0.4 kB with vendor fields that are merged, and named or refused where
  // something would be lost. The limits rose with what replies carry: ids, tiers, cost, safety,
  // counts by modality; and with capabilities, which every provider has. They rose again by 1.7 kB
  // with redaction that finds every run of a key in any encoding; it moved to core, since runtime
  // needs it for MCP. And by 0.1 kB, as all that include core, with what core gained: a refused
  // model in vendor fields, and readers' base. And by 0.1 kB each since calls that were cut before
  // their arguments have an error; 0.4 kB more in presets with Gemini's thoughts over Chat
  // Completions and custom tools, in openai with items that only the whole reply lists, 0.2 kB in
  // google with places of citations. They rose by 0.15 kB with frames of binary event streams, and
  // the names of the sources of a message. The goal of one preset is 12,000:
  // docs/decisions/0018-one-preset-weighs-27-kb.md says what is above it.
  {
    name: 'one preset',
    code: `export { createPresetProvider } from "${compatible}"; export { deepseek } from "@modelport/catalog"`,
    limit: 33_900,
  },
  {
    name: 'all presets, by name',
    code: `export { createPreset } from "${compatible}"`,
    limit: 36_550,
  },
  // Without their SDKs, of 85, 86 and 78 kB: `browser` in their manifests. Anthropic rose by 0.1 kB
  // with tools for calls of a conversation that has none any more. And by 0.3 kB with what the
  // clouds that serve Claude refuse, and by 0.75 kB with Vertex AI.
  {
    name: 'anthropic',
    code: 'export { createAnthropic } from "@modelport/provider-anthropic"',
    limit: 35_450,
  },
  // With AWS's codec and signatures, which a bundler cannot leave out.
  {
    name: 'bedrock',
    code: 'export { createBedrock } from "@modelport/provider-bedrock"',
    limit: 43_450,
  },
  {
    name: 'openai, both APIs',
    code: 'export { createOpenAI } from "@modelport/provider-openai"',
    limit: 39_900,
  },
  {
    name: 'google',
    code: 'export { createGoogle } from "@modelport/provider-google"',
    limit: 34_850,
  },
  {
    name: 'ollama',
    code: 'export { createOllama } from "@modelport/provider-ollama"',
    limit: 26_800,
  },
  // And by 2 kB with the check for unknown settings, of which 0.9 kB are in every provider too,
  // `orThrow`, and what `defineTool` may be told. It rose by 1.4 kB with the change to JSON actions
  // when a server refuses tools: calls are rendered as JSON, and final texts streamed out of it.
  // The limit rose by 2 kB with partial objects of outputSchema, failed requests in the metrics and
  // budgets of media; the aim is 70 kB. It rose by 1.4 kB with checkpoints that are checked before
  // they are resumed, and messages that name the tool or limit that is wrong. It rose by 1.2 kB
  // with steps that are prepared: their model, options, tools and instructions, checked and stored;
  // and with stopWhen. It rose by 0.6 kB with what a run that breaks off keeps, and hints of tools,
  // and by 1.1 kB with tools of the AI SDK. 6 kB of it convert schemas of zod/mini, which does not
  // do that itself. It rose by 3.9 kB with agents that hand over, progress of tools, calls that
  // start early, and results that are read by a handle; and by 5.7 kB with the search of deferred
  // tools, which a bundler that splits loads when the model searches. It rose by 1.9 kB with
  // questions of tools and their answers.
  {
    name: 'runtime: infer and defineTool',
    code: 'export { infer, defineTool } from "@modelport/runtime"',
    limit: 88_700,
  },
  // With what it takes of runtime and driver: parts and results of the AI SDK, fields without a
  // value, JSON.
  { name: 'ai-sdk, all of it', code: 'export * from "@modelport/ai-sdk"', limit: 7_150 },
  // It rose by 150 bytes with `required: true` at any depth.
  { name: 'runtime, all of it', code: 'export * from "@modelport/runtime"', limit: 95_900 },
]

for (const { name, code, limit } of programs) {
  const contents = await bundleForBrowser(
    { contents: code },
    { minify: true, external: ['./undici-transport.js'] },
  )
  const bytes = gzipSync(contents, { level: 9 }).length
  const fits = bytes <= limit
  console.log(
    `${fits ? 'ok      ' : 'TOO BIG '} ${name}: ${bytes} of ${limit} bytes min+gzip (${contents.length} min)`,
  )
  if (!fits) process.exitCode = 1
}

// The page of the studio: what it loads before it shows anything. The limit is that of the issue
// that asked for trees, search and charts.
const pageLimit = 120_000
const folder = mkdtempSync(join(tmpdir(), 'modelport-page-'))
await buildPage(folder)
const imported = readFileSync(join(folder, 'app.js'), 'utf8').matchAll(/from"\.\/([\w.-]+)"/g)
const page = ['index.html', 'app.css', 'app.js', ...new Set([...imported].map(([, name]) => name))]
  .map((name) => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length)
  .reduce((sum, bytes) => sum + bytes)
rmSync(folder, { recursive: true })
console.log(
  `${page <= pageLimit ? 'ok      ' : 'TOO BIG '} page of the studio: ${page} of ${pageLimit} bytes gzip`,
)
if (page > pageLimit) process.exitCode = 1
