import type { Capabilities, Capability } from '@modelport/core'
import {
  capabilities,
  type PresetName,
  presets,
  toPresetConfig,
} from '@modelport/provider-openai-compatible'
import { readText } from './repository.js'

/** Day on which the facts of the catalog were last read from their sources. */
const catalogDate = '2026-11-21'

/**
 * Where factories take a key from. A server without an address variable of its own has no address
 * that a key was given for.
 */
const keysOf = (name: PresetName, variables: string): string =>
  name === 'vllm' || name === 'llamacpp-server'
    ? `factories read a variable only if the configuration names it: \`api_key_env\`, for example ${variables}`
    : `factories read ${variables}`

/** What the comment of a row says in points: the page has it next to what its data says. */
function notesOf(name: PresetName): string[] {
  const [before = ''] = readText(`packages/catalog/src/vendors/${name}.ts`).split(
    ': ChatVendor = {',
    1,
  )
  const points = before.matchAll(/^ \* - (.*(?:\n \* {3}.*)*)$/gm)
  return Array.from(points, ([, text = '']) => text.replaceAll('\n *  ', ''))
}

const code = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ')
const words = { true: 'yes', false: 'no', 'by-model': 'by model', undefined: 'not known' }

/** The quirks of a row in words. */
function quirksOf(name: PresetName): string[] {
  const { quirks, selfHosted, timeouts } = presets[name]
  const {
    lacks = [],
    toolChoices,
    responseFormats,
    reasoning,
    rename,
    toolCallIds,
    inputs,
  } = quirks
  const list = [
    lacks.length > 0 &&
      `Refused with \`unsupported\`, since the API has no field for it: ${code(lacks)}.`,
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
    quirks.countedSeparately &&
      `Tokens of ${quirks.countedSeparately.join(', ')} are reported next to the sums; usage adds them.`,
    quirks.finishReasonOptional &&
      'A stream without a finish reason ends with `[DONE]` after the token counts.',
    quirks.takesTemperature === false && "No temperature is sent by `defaults: 'reference'`.",
    quirks.requiredReasoningField &&
      `A message with tool calls always has \`${quirks.requiredReasoningField}\`, empty where there was no reasoning.`,
    quirks.replayReasoning === 'always' &&
      'Reasoning goes back with every message of this provider.',
    inputs && `User messages may have ${inputs.join(', ')}.`,
    quirks.quotaRecovers &&
      'A 429 is always `rate-limit`, also when its code speaks of a quota: that of a minute.',
    quirks.tokenizer && "`countTokens` asks the server's own tokenizer and is exact.",
    selfHosted &&
      'A call without `maxTokens` asks for 4,096: such a model may never stop by itself.',
    timeouts && 'Loading a model takes minutes: the clocks wait 600,000 ms.',
  ]
  return [...list.filter((line) => typeof line === 'string'), ...notesOf(name)]
}

function exampleOf(name: PresetName): string {
  const row = presets[name]
  const fields = [
    row.needsKey && `apiKey: process.env['${row.keyVariables[0] ?? ''}'] ?? ''`,
    !row.model && "model: 'openai/gpt-oss-20b'",
  ].filter((field) => typeof field === 'string')
  const config = fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}'
  // A server without a row of its own is made by its address, as on every other page.
  const creator = name === 'openai-compatible' ? 'createOpenAICompatible' : 'createPreset'
  const args =
    name === 'openai-compatible'
      ? "{ baseUrl: 'http://127.0.0.1:8080/v1', model: 'my-model' }"
      : `'${name}', ${config}`
  const head = `import { ${creator} } from '@modelport/provider-openai-compatible'

const provider = ${creator}(${args})
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
  const {
    providerTools: _forms,
    choices: _fields,
    fewestTokens: _least,
    ...abilities
  } = capabilities
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
    toPresetConfig(name, {
      baseUrl: row.baseUrl,
      apiKey: 'sk-page-0000',
      model: row.model ?? 'model',
    }),
  )
  const quirks = quirksOf(name)
  return `# ${row.title}

A vendor of \`@modelport/catalog\`, as of ${catalogDate}; \`@modelport/provider-openai-compatible\` speaks to it. \`pnpm vendors\` writes this page from\n\`packages/catalog/src/vendors/${name}.ts\`.${
    row.retired
      ? `\n\n**The vendor closed this service on ${row.retired}.** Without another \`baseUrl\` the preset is refused.`
      : ''
  }

## Install

    npm install @modelport/provider-openai-compatible

## Configure

| field | default |
|---|---|
| \`baseUrl\` | \`${row.baseUrl}\`${row.baseUrlVariables ? `; with \`useEnvironmentBaseUrls\`, factories read ${code(row.baseUrlVariables)}` : ''} |
| \`apiKey\` | ${row.needsKey ? 'needed' : row.fallbackKey ? `\`${row.fallbackKey}\`` : 'none is sent'}; ${keysOf(name, code(row.keyVariables))} |
| \`model\` | ${row.model ? `\`${row.model}\`` : 'none: it must be given'} |
| \`cheapestModel\` | ${row.cheapestModel ? `\`${row.cheapestModel}\`` : 'the model itself'} |
| \`quirks\` | what is below; each one may be replaced |

and all of \`CommonConfig\`. \`createPresetProvider(${constant}, config)\` with \`${constant}\` of \`@modelport/catalog\` is the same as\n\`createPreset('${name}', config)\`, and a bundler leaves the other vendors out.

This package reads nothing from the environment. Runtimes ask for tools ${
    row.nativeTools
      ? "in the API's own form"
      : row.quirks.lacks?.includes('tools')
        ? 'as JSON: the API has none'
        : "in the API's own form; if the server refuses them, or `profile: { supportsTools: false }` says that the model has none, as JSON"
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
