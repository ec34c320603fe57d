import type { Capabilities, Capability } from '@modelport/core'
import { resolveCapabilities } from '@modelport/driver'
import { type OpenAICompatibleConfig, toDialect } from './config.js'

type Ability = Exclude<keyof Capabilities, 'providerTools' | 'choices'>
/**
 * What can be asked of this server. The quirks decide what the API can say, as they decide which
 * call is refused; the row adds what is known beyond, and the profile settles what is the model's
 * to say.
 */
export function capabilities(
  config: Pick<OpenAICompatibleConfig, 'quirks' | 'preset' | 'profile' | 'name'>,
): Capabilities {
  const { lacks, inputs, responseFormats, reasoning } = toDialect(config)
  const row = config.preset
  const known = row?.claims ?? {}
  const source = row?.docs ?? 'nothing is known of this server; set a profile'
  const claim = (ability: Ability, dialectClaim: Capability['supported']): Capability => {
    const [supported, where] = known[ability] ?? [dialectClaim, source]
    // What the dialect cannot say, no row can promise.
    return dialectClaim === false
      ? { supported: false, source: known[ability]?.[0] === false ? where : source }
      : { supported, source: where }
  }
  const tools = lacks.includes('tools') ? false : row?.nativeTools ? true : 'by-model'
  return resolveCapabilities(
    {
      tools: claim('tools', tools),
      parallelTools: claim('parallelTools', tools && 'by-model'),
      images: claim('images', inputs.includes('image') && 'by-model'),
      schema: claim('schema', responseFormats.includes('json-schema') && 'by-model'),
      logprobs: claim('logprobs', !lacks.includes('topLogprobs') && 'by-model'),
      reasoning: claim('reasoning', Object.keys(reasoning).length > 0 && 'by-model'),
      embeddings: claim('embeddings', 'by-model'),
      ...(row?.choices && { choices: row.choices }),
    },
    config.profile,
  )
}
