import type { Provider, ToolDefinition } from '@modelport/core'
import { canonicalJson } from '../base/canonical-json.js'
import { jsonHash } from '../base/json-hash.js'
import type { RunFingerprint } from './checkpoint.js'

/** The parts of a fingerprint. */
export interface FingerprintSource {
  readonly provider: Pick<Provider, 'name' | 'model'>
  readonly mode: string
  /** Unset: the tools may change between two steps. */
  readonly tools?: readonly ToolDefinition[]
  readonly agents: readonly {
    readonly name: string
    readonly description: string
    readonly tools?: readonly ToolDefinition[] | undefined
  }[]
  readonly system: string
  readonly preset: unknown
  readonly output: unknown
  readonly options: object
  readonly limits: object
  readonly policy: string
}

/** Options that say how a call is made, not what is asked. */
const transient = new Set(['signal', 'retry', 'deadlineMs', 'headers'])

/** Describes the parts of a run, so that a resume can find and name a change. */
export function toFingerprint(source: FingerprintSource): RunFingerprint {
  const {
    provider,
    mode,
    tools = [],
    agents,
    system,
    preset,
    output,
    options,
    limits,
    policy,
  } = source
  const kept = Object.fromEntries(Object.entries(options).filter(([name]) => !transient.has(name)))
  return {
    model: `${provider.name}/${provider.model}`,
    mode,
    tools: Object.fromEntries(tools.map((tool) => [tool.name, hashOf(tool)])),
    agents: Object.fromEntries(
      agents.map(({ name, description, tools: own }) => [name, hashOf({ description, own })]),
    ),
    prompts: {
      system: hashOf(system),
      preset: hashOf(preset),
      output: hashOf(output),
      options: hashOf(kept),
    },
    limits: Object.fromEntries(
      Object.entries(limits).map(([name, value]) => [name, textOf(value)]),
    ),
    policy,
  }
}

const hashOf = (value: unknown): string => jsonHash(canonicalJson(value)).slice(0, 32)

/** JSON cannot express Infinity. */
const textOf = (value: unknown): string => (value === Infinity ? 'Infinity' : canonicalJson(value))

/** Names each difference. Empty: both are the same. */
export function diffFingerprints(stored: RunFingerprint, now: RunFingerprint): readonly string[] {
  return [
    ...(stored.model === now.model ? [] : [`model: ${stored.model} → ${now.model}`]),
    ...diffNamed('tool', stored.tools, now.tools),
    ...diffNamed('agent', stored.agents, now.agents),
    ...diffNamed('prompt', stored.prompts, now.prompts),
    ...Object.keys({ ...stored.limits, ...now.limits })
      .filter((name) => stored.limits[name] !== now.limits[name])
      .map((name) => `limits.${name}: ${stored.limits[name]} → ${now.limits[name]}`),
    ...(stored.policy === now.policy ? [] : [`policy: ${stored.policy} → ${now.policy}`]),
  ]
}

type Hashes = Readonly<Record<string, string>>

const diffNamed = (kind: string, stored: Hashes, now: Hashes): readonly string[] =>
  Object.keys({ ...stored, ...now }).flatMap((name) => {
    if (stored[name] === now[name]) return []
    const change =
      now[name] === undefined ? 'was removed' : stored[name] === undefined ? 'was added' : 'changed'
    return [`${kind} ${name} ${change}`]
  })
