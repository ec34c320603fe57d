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

/** A system message is a text, which may be marked for a cache, and have fields of the vendor. */
const readOptions: Readonly<Record<string, readonly string[]>> = {
  system: [...messageOptions, 'cache', 'ofText'],
  user: messageOptions,
  assistant: messageOptions,
}

/** Parts that only one vendor reads, and that no message of ours can hold. */
const foreignParts: ReadonlySet<string> = new Set(['custom', 'reasoning-file'])

/** What the caller set and no request carries, with advice. */
export function lostOptions(call: ModelCall): ReadonlyMap<string, string> {
  const lost = new Map<string, string>()
  for (const options of foreignOptionsOf(call))
    for (const [feature, details] of foreignFields(options)) lost.set(feature, details)

  for (const { role, content, providerOptions } of call.prompt) {
    const read: readonly string[] = readOptions[role] ?? []
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

  for (const name of ['presencePenalty', 'frequencyPenalty'] as const)
    if (call[name] !== undefined)
      lost.set(name, 'set the field of the vendor in `providerOptions.modelport.vendor`')
  return lost
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
          foreignAdvice,
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
    for (const part of message.content)
      given.push(
        ...optionsOfPart(part).map(message.role === 'assistant' ? withoutIds : (one) => one),
      )
  }
  return given.filter((one) => one !== undefined)
}

/** Says where a part of a reply came from, and nothing that a request could repeat. */
const idsOfParts: ReadonlySet<string> = new Set(['itemId', 'annotations'])

const withoutIds = (
  options: SharedV4ProviderOptions | undefined,
): SharedV4ProviderOptions | undefined =>
  options &&
  Object.fromEntries(
    Object.entries(options).map(([vendor, fields]) => [
      vendor,
      Object.fromEntries(Object.entries(fields).filter(([name]) => !idsOfParts.has(name))),
    ]),
  )

function optionsOfPart(part: Part): readonly (SharedV4ProviderOptions | undefined)[] {
  const own = [part.providerOptions]
  if (part.type !== 'tool-result') return own
  const { output } = part
  const inner = output.type === 'content' ? output.value : []
  const outer = output.type === 'content' ? undefined : output.providerOptions
  return [...own, outer, ...inner.map(({ providerOptions }) => providerOptions)]
}

const foreignAdvice =
  'only the vendor of that name reads it; `providerOptions.modelport` are for all'
