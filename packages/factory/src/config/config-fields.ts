import { configError } from '@modelport/core'
import { namesOf, suggest } from '@modelport/core/settings'
import { type CloudName, cloudNames } from '../clouds/clouds.js'
import type { ModelConfig } from './model-config.js'
import type { ModelEntry } from './model-entry.js'

type FieldType = 'string' | 'boolean' | 'object' | 'function' | 'any'

const cloudFields = Object.fromEntries(cloudNames.map((name) => [name, 'object'])) as Readonly<
  Record<CloudName, 'object'>
>

/**
 * The type of each field of a configuration, which may be an entry of a pool. `any` stands for
 * fields that are checked where they are used.
 */
const fields: Readonly<Record<keyof ModelConfig | keyof ModelEntry, FieldType>> = {
  ...cloudFields,
  provider: 'string',
  model: 'string',
  package: 'string',
  apiKey: 'string',
  apiKeyEnv: 'string',
  baseUrl: 'string',
  baseUrlEnv: 'string',
  useEnvironmentBaseUrls: 'boolean',
  proxy: 'string',
  proxyEnv: 'string',
  cheapestModel: 'string',
  fallback: 'any',
  fallbackOptions: 'object',
  defaults: 'any',
  vendor: 'object',
  headers: 'object',
  enforceHosts: 'any',
  fetch: 'function',
  settings: 'object',
  name: 'any',
  purpose: 'any',
  profile: 'object',
}

const fallbackNames: readonly string[] = namesOf<NonNullable<ModelConfig['fallbackOptions']>>({
  codes: true,
  coolDownMs: true,
  attempts: true,
  missingKey: true,
})

/**
 * Checks the names and types of the fields of a configuration. A configuration from JSON was not
 * checked by the compiler, and with a misspelt `baseUrl` requests would go to the vendor.
 * @throws {LlmError} `config` — names the field, never its value, which may be a key.
 */
export function checkFields(config: ModelConfig): void {
  for (const [name, value] of Object.entries(config) as [string, unknown][]) {
    if (value === undefined) continue
    if (!Object.hasOwn(fields, name))
      throw configError(
        `unknown field ${JSON.stringify(name)}${suggest(name, Object.keys(fields), '')}; what only the provider's package knows goes into settings`,
      )
    const type = fields[name as keyof ModelConfig]
    if (type !== 'any' && typeName(value) !== type)
      throw configError(
        `${name} must be ${withArticle(type)}, not ${withArticle(typeName(value))}; leave it out where it is unset`,
      )
  }

  const unknown = Object.keys(config.fallbackOptions ?? {}).find(
    (name) => !fallbackNames.includes(name),
  )
  if (unknown !== undefined)
    throw configError(
      `fallbackOptions: unknown field ${JSON.stringify(unknown)}${suggest(unknown, fallbackNames, '')}`,
    )
  const missingKey: unknown = config.fallbackOptions?.missingKey
  if (missingKey !== undefined && missingKey !== 'next' && missingKey !== 'error')
    throw configError(
      `fallbackOptions.missingKey must be "error" or "next", not ${JSON.stringify(missingKey)}`,
    )
  checkSettings(config)
  checkVendor(config)
  checkHeaders(config)
}

/** The type of a value; a list and null are not objects here. */
function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}

function withArticle(type: string): string {
  if (type === 'null') return type
  return type === 'object' ? `an ${type}` : `a ${type}`
}

/**
 * Refuses fields of the configuration within `settings`. An address there would be missing in the
 * list of hosts that the provider contacts.
 */
export function checkSettings({ settings = {} }: Pick<ModelConfig, 'settings'>): void {
  const misplaced = Object.keys(settings).find((name) => Object.hasOwn(fields, name))
  if (misplaced !== undefined)
    throw configError(
      `settings.${misplaced}: set ${misplaced} of the configuration itself, not in settings`,
    )
}

/**
 * Some APIs have the model in the URL: a second name in the body would be ignored, or would ask two
 * models.
 */
export function checkVendor({ vendor, defaults }: Pick<ModelConfig, 'vendor' | 'defaults'>): void {
  refuseModelIn('vendor', vendor)
  refuseModelIn('defaults.vendor', typeof defaults === 'object' ? defaults.vendor : undefined)
}

function refuseModelIn(where: string, vendor: ModelConfig['vendor'] | null): void {
  if (vendor && Object.hasOwn(vendor, 'model'))
    throw configError(
      `${where}.model: set model of the configuration instead, so that URL and body name the same one`,
    )
}

function checkHeaders({ headers = {} }: ModelConfig): void {
  for (const [name, value] of Object.entries(headers) as [string, unknown][]) {
    if (typeof value !== 'object') continue
    if (value === null || !('env' in value) || typeof value.env !== 'string')
      throw configError(
        `headers: "${name}" must be text of one line, or { env: NAME } for the value of a variable`,
      )
  }
}
