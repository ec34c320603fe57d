import type { Capabilities, Capability } from '@modelport/core'
import {
  capabilities,
  type PresetName,
  presets,
  presetsDate,
  toPresetConfig,
} from '@modelport/provider-openai-compatible'

const titles: Readonly<Record<PresetName, string>> = {
  alibaba: 'Alibaba Model Studio (Qwen)',
  cerebras: 'Cerebras',
  deepseek: 'DeepSeek',
  fireworks: 'Fireworks',
  'github-models': 'GitHub Models',
  grok: 'Grok (xAI)',
  groq: 'Groq',
  huggingface: 'Hugging Face Inference Providers',
  'llamacpp-server': 'llama.cpp server',
  lmstudio: 'LM Studio',
  mistral: 'Mistral',
  moonshot: 'Moonshot (Kimi)',
  'openai-compatible': 'Any server that speaks Chat Completions',
  openrouter: 'OpenRouter',
  perplexity: 'Perplexity',
  together: 'Together',
  vllm: 'vLLM',
  zai: 'Z.ai (Zhipu GLM)',
}

/** Where factories take a key from. A server without an address variable of its own has no address that a key was given for. */
const keysOf = (name: PresetName, variables: string): string =>
  name === 'vllm' || name === 'llamacpp-server'
    ? `factories read a variable only if the configuration names it: \`api_key_env\`, for example ${variables}`
    : `factories read ${variables}`

/** What the table's data cannot say. */
const notes: Readonly<Partial<Record<PresetName, readonly string[]>>> = {
  alibaba: [
    "A tool cannot be forced while the model thinks. The budgets of thinking are this table's choice. Other regions: `baseUrl`.",
    "Some open models think in streams only: ask those with `reasoning: 'none'` where you call `generate`.",
  ],
  deepseek: [
    'Thinking is on by default and ignores a temperature. `deepseek-chat` and `deepseek-reasoner` closed on 2026-07-24.',
    'Calls made while thinking go back with their reasoning: the API refuses them without.',
    "A tool cannot be forced while the model thinks, which the server says; with `reasoning: 'none'` it can.",
  ],
  'github-models': ['GitHub retired the service on 2026-07-30. The row is kept for servers that speak as it did.'],
  grok: [
    '`grok-4-latest` and the models before it closed on 2026-05-15. Models of the 4.5 line and later cannot turn reasoning off; the server says so.',
  ],
  huggingface: [
    'A model is named `organisation/model`, with `:provider`, `:fastest` or `:cheapest` after it if you want. What it can do depends on who serves it.',
  ],
  'llamacpp-server': [
    'Start it with `--jinja` for tools and with `--embeddings --pooling mean` for embeddings.',
    'The server takes a `tool_choice` that names a tool for `auto`, so it is refused here.',
  ],
  lmstudio: ['The server ignores the key; `lm-studio` is sent where there is none.'],
  mistral: [
    "Ids of other vendors' calls become nine letters or digits; its own go back as they came.",
    'Thinking comes as parts of the content and goes back the same way.',
  ],
  moonshot: [
    'Models of the K2 and K3 lines fix the temperature; none is sent unless you set it. K3 always thinks; `none` is for the models before it.',
  ],
  'openai-compatible': [
    'A failure inside a 200 is a typed error wherever the server puts it: `error`, `choices[].error`, `x_groq.error`, `base_resp`, `event: error`.',
    'A picture of an answer goes back to the server that made it, where it came: in `images` or in the content. Another provider refuses it with `unsupported`, as the API has no pictures of an assistant.',
    'The transcript of a spoken answer is its text and goes back as text: the id of the sound expires. The sound itself is not kept.',
    'Not read: `timings` of llama.cpp, as usage is asked for and has the counts; related questions and pictures that a search found; prices.',
  ],
  openrouter: [
    'Reasoning with its signatures goes back in `reasoning_details`, as it came; pictures go back in `images`.',
    'What failed is told by `error.metadata.error_type` where there is one, else by the status.',
  ],
  perplexity: [
    "It searches the web for every answer: sources are in `citations`, of `generate` and of a stream's `details()`. Roles must alternate.",
    "With `vendor: { stream_mode: 'concise' }` a stream has the steps of the search as reasoning.",
    'Perplexity announced the end of this API for 2026-09-27, in favour of its Agent API, which speaks another protocol.',
    'Its embeddings come as base64 integers, which the embedder does not read.',
  ],
  together: ['Its log probabilities have a form of their own and are not read.'],
  vllm: [
    "Tools need `--enable-auto-tool-choice` and `--tool-call-parser` at the server's start. The model is the one it serves.",
  ],
  zai: [
    "GLM-5.3 always thinks; `none` is for the models before it. The endpoint of the coding plan: `baseUrl: 'https://api.z.ai/api/coding/paas/v4'`.",
  ],
}

const code = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ')
const words = { true: 'yes', false: 'no', 'by-model': 'by model', undefined: 'not known' }

/** The quirks of a row in words. */
function quirksOf(name: PresetName): string[] {
  const { quirks, timeouts } = presets[name]
  const { lacks = [], toolChoices, responseFormats, reasoning, rename, toolCallIds, inputs } = quirks
  const list = [
    lacks.length > 0 && `Refused with \`unsupported\`, since the API has no field for it: ${code(lacks)}.`,
    toolChoices &&
      `\`toolChoice\` may be ${code(toolChoices.map((choice) => (choice === 'named' ? '{ name }' : choice)))}${toolChoices.includes('none') ? '' : '; `none` sends no tools'}.`,
    responseFormats && `\`responseFormat\` may be ${code(responseFormats)}.`,
    reasoning &&
      `\`reasoning\`: ${Object.entries(reasoning)
        .map(([level, fields]) => `\`${level}\` sends \`${JSON.stringify(fields)}\``)
        .join(', ')}.`,
    quirks.maxTokensField && `\`maxTokens\` is \`${quirks.maxTokensField}\`.`,
    rename &&
      Object.entries(rename)
        .map(([from, to]) => `\`${from}\` is \`${to}\` on the wire.`)
        .join(' '),
    toolCallIds &&
      `Ids of tool calls have ${toolCallIds.length ?? `at most ${toolCallIds.maxLength ?? 64}`} characters.`,
    quirks.streamUsage === false && '`stream_options` is not sent: usage comes unasked.',
    quirks.messageNames === false && 'A message may not have a `name`.',
    quirks.takesTemperature === false && 'The default temperature is left out.',
    quirks.requiredReasoningField &&
      `A message with tool calls always has \`${quirks.requiredReasoningField}\`, empty where there was no reasoning.`,
    quirks.replayReasoning === 'always' && 'Reasoning goes back with every message of this provider.',
    inputs && `User messages may have ${inputs.join(', ')}.`,
    quirks.quotaRecovers && 'A 429 is always `rate-limit`, also when its code speaks of a quota: that of a minute.',
    quirks.tokenizer && "`countTokens` asks the server's own tokenizer and is exact.",
    timeouts && 'Loading a model takes minutes: the clocks wait 600,000 ms.',
  ]
  return [...list.filter((line) => typeof line === 'string'), ...(notes[name] ?? [])]
}

function exampleOf(name: PresetName): string {
  const row = presets[name]
  const fields = [
    row.needsKey && `apiKey: process.env['${row.keyVariables[0] ?? ''}'] ?? ''`,
    !row.model && "model: 'openai/gpt-oss-20b'",
  ].filter((field) => typeof field === 'string')
  const config = fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}'
  const head = `import { createPreset } from '@modelport/provider-openai-compatible'

const provider = createPreset('${name}', ${config})
console.log(await provider.complete('Say hello.'))
`
  if (row.quirks.lacks?.includes('tools')) {
    return `${head}
for await (const text of await provider.stream('How is the weather in Rome?')) process.stdout.write(text)
`
  }
  return `${head}
const tools = [{ name: 'get_weather', description: 'The weather of a city', parameters: { type: 'object', properties: { city: { type: 'string' } } } }]
const reader = await provider.streamWithTools([{ role: 'user', content: 'How is the weather in Rome?' }], tools)
for await (const event of reader) {
  if (event.type === 'text-delta') process.stdout.write(event.text)
  if (event.type === 'tool-call-complete') await reader.sendToolResults([{ callId: event.toolCall.id, content: '21 degrees' }])
}
`
}

/** Capabilities as every page shows them. */
export function abilityTable(capabilities: Capabilities): string {
  const { providerTools: _forms, ...abilities } = capabilities
  const rows = Object.entries<Capability>({ ...abilities }).map(
    ([ability, { supported, source }]) => `| ${ability} | ${words[`${supported}`]} | ${source} |`,
  )
  return ['| ability | | source |', '|---|---|---|', ...rows].join('\n')
}

/** The page of a row: `docs/providers/<name>.md`. */
export function presetPage(name: PresetName): string {
  const row = presets[name]
  const constant = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  const abilities = capabilities(
    toPresetConfig(name, { baseUrl: row.baseUrl, apiKey: 'sk-page-0000', model: row.model ?? 'model' }),
  )
  const quirks = quirksOf(name)
  return `# ${titles[name]}

A row of the preset table of \`@modelport/provider-openai-compatible\`, as of ${presetsDate}. This page is made of that row by \`test/provider-pages.test.ts\`.${
    row.retired
      ? `\n\n**The vendor closed this service on ${row.retired}.** Without another \`baseUrl\` the preset is refused.`
      : ''
  }

## Install

    npm install @modelport/provider-openai-compatible

## Configure

| field | default |
|---|---|
| \`baseUrl\` | \`${row.baseUrl}\`${row.baseUrlVariables ? `; factories read ${code(row.baseUrlVariables)}` : ''} |
| \`apiKey\` | ${row.needsKey ? 'needed' : row.fallbackKey ? `\`${row.fallbackKey}\`` : 'none is sent'}; ${keysOf(name, code(row.keyVariables))} |
| \`model\` | ${row.model ? `\`${row.model}\`` : 'none: it must be given'} |
| \`cheapestModel\` | ${row.cheapestModel ? `\`${row.cheapestModel}\`` : 'the model itself'} |
| \`quirks\` | what is below; each one may be replaced |

and all of \`CommonConfig\`. \`createPresetProvider(${constant}, config)\` is the same as \`createPreset('${name}', config)\`, and a bundler leaves the other rows out.

This package reads nothing from the environment. Runtimes ask for tools ${
    row.nativeTools
      ? "in the API's own form"
      : row.quirks.lacks?.includes('tools')
        ? 'as JSON: the API has none'
        : 'as JSON unless `profile: { supportsTools: true }` says that the model can'
  }.

## Hosts

\`${new URL(row.baseUrl).host}${new URL(row.baseUrl).port ? '' : ':443'}\`, or the host of \`baseUrl\`, and no other: \`enforceHosts: true\` holds it to that.

## Abilities

${abilityTable(abilities)}

The same as data: \`capabilities(toPresetConfig('${name}', config))\`.

## Quirks

${quirks.length > 0 ? quirks.map((quirk) => `- ${quirk}`).join('\n') : 'None known.'}

API: <${row.docs}>

## Example

\`\`\`ts
${exampleOf(name)}\`\`\`
`
}
