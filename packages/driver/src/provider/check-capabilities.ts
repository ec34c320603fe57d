import { type Capabilities, configError } from '@modelport/core'

/** The abilities that every provider says, also those that it does not have. */
const abilities = [
  'tools',
  'parallelTools',
  'images',
  'schema',
  'logprobs',
  'reasoning',
  'embeddings',
] as const

type Ability = (typeof abilities)[number]

/**
 * Refuses capabilities that leave an ability out, which the compiler tells authors of TypeScript.
 * @throws {LlmError} `config` — names the provider and the ability.
 */
export function checkCapabilities(
  name: string,
  capabilities: Partial<Capabilities> | undefined,
): void {
  const isSaid = (ability: Ability): boolean => typeof capabilities?.[ability]?.source === 'string'
  const missing = capabilities && abilities.find((ability) => !isSaid(ability))
  if (missing === undefined) return
  throw configError(
    `${name}: its capabilities leave out ${missing}; add ${missing}: { supported, source }, with supported: false if the API does not have it`,
  )
}
