import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  SharedV3Warning,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'

type ModelCall = LanguageModelV4CallOptions
type Parts = Exclude<LanguageModelV4Prompt[number]['content'], string>
type Part = Parts[number]

/** Options of a message that are read: fields of our messages. */
export const messageOptions = ['vendor', 'name'] as const

/** Parts that only one vendor reads, and that no message of ours can hold. */
const foreignParts: ReadonlySet<string> = new Set(['custom', 'reasoning-file'])

/** Warnings about what the caller set and no request carries, each once. */
export function lostOptions(call: ModelCall): readonly SharedV3Warning[] {
  const lost = new Map<string, string>()
  for (const options of foreignOptionsOf(call))
    for (const [feature, details] of foreignFields(options)) lost.set(feature, details)

  for (const { role, content, providerOptions } of call.prompt) {
    const read: readonly string[] = role === 'tool' ? [] : messageOptions
    for (const name of Object.keys(providerOptions?.['modelport'] ?? {}))
      if (!read.includes(name))
        lost.set(
          `providerOptions.modelport.${name} of a ${role} message`,
          'set it for the whole call, or on a part of a user message',
        )
    for (const { type } of typeof content === 'string' ? [] : content)
      if (foreignParts.has(type)) lost.set(`a part of type ${type}`, 'only its own vendor reads it')
  }

  if (call.includeRawChunks)
    lost.set('includeRawChunks', 'read the events of the provider without the AI SDK')
  const { responseFormat: format } = call
  if (format?.type === 'json' && !format.schema)
    for (const name of ['name', 'description'] as const)
      if (format[name] !== undefined)
        lost.set(`${name} of the output`, 'it belongs to a schema; write it into the prompt')

  return [...lost].map(([feature, details]) => toWarning(feature, details))
}

/** Warnings about the options of vendors, which only their own packages read. */
export const lostVendorOptions = (
  options: SharedV4ProviderOptions | undefined = {},
): readonly SharedV3Warning[] =>
  foreignFields(options).map(([feature, details]) => toWarning(feature, details))

const foreignFields = (options: SharedV4ProviderOptions): [feature: string, details: string][] =>
  Object.entries(options).flatMap(([vendor, fields]) =>
    vendor === 'modelport'
      ? []
      : Object.keys(fields).map((name): [string, string] => [
          `providerOptions.${vendor}.${name}`,
          adviceFor(name),
        ]),
  )

/** The warning for what no request can say. */
export const toWarning = (feature: string, details: string): SharedV3Warning => ({
  type: 'unsupported',
  feature,
  details,
})

/** All options of vendors in a call: its own, and those of its tools, messages and parts. */
function foreignOptionsOf({ providerOptions, tools = [], prompt }: ModelCall) {
  const given: (SharedV4ProviderOptions | undefined)[] = [providerOptions]
  for (const tool of tools) if (tool.type === 'function') given.push(tool.providerOptions)
  for (const message of prompt) {
    given.push(message.providerOptions)
    if (typeof message.content === 'string') continue
    for (const part of message.content) given.push(...optionsOfPart(part))
  }
  return given.filter((one) => one !== undefined)
}

function optionsOfPart(part: Part): readonly (SharedV4ProviderOptions | undefined)[] {
  const own = [part.providerOptions]
  if (part.type !== 'tool-result') return own
  const { output } = part
  const inner = output.type === 'content' ? output.value : []
  const outer = output.type === 'content' ? undefined : output.providerOptions
  return [...own, outer, ...inner.map(({ providerOptions }) => providerOptions)]
}

/** Where the options of vendors that are used most have a place of ours. */
const advice: ReadonlyMap<string, string> = new Map([
  ['cacheControl', 'set `cache` in `providerOptions.modelport`'],
  ['cachePoint', 'set `cache` in `providerOptions.modelport`'],
  ['thinking', 'set `reasoning` of the call, or `providerOptions.modelport.vendor`'],
  ['thinkingConfig', 'set `reasoning` of the call, or `providerOptions.modelport.vendor`'],
  ['reasoningEffort', 'set `reasoning` of the call'],
  ['parallelToolCalls', 'set `parallelToolCalls` in `providerOptions.modelport`'],
])

const adviceFor = (name: string): string =>
  advice.get(name) ?? 'set the field of the vendor in `providerOptions.modelport.vendor`'
