import { isLlmError, LlmError, parseBaseUrl } from '@modelport/core'
import { parseProxy } from '../resolve/addresses.js'
import type { ConfigIssue } from './config-error.js'
import { inOrder } from '../fallback/fallback-order.js'
import type { ModelEntry, ModelPool } from './model-entry.js'
import { parseModel } from './model-string.js'
import { validateOllamaBaseUrl } from '../providers/ollama-host.js'
import type { ParseConfigOptions } from './parse-config.js'
import { findRow, type ProviderTable } from '../providers/provider-table.js'
import { didYouMean } from './suggestion.js'
import type { YamlSource } from './yaml-source.js'

/** What the form of a file does not show: names that refer to nothing, providers that there are not, addresses that do not parse. */
export function checkPool(
  pool: ModelPool,
  source: YamlSource,
  options: ParseConfigOptions & { readonly table: ProviderTable },
): ConfigIssue[] {
  const names = pool.models.map(({ name }) => name)
  const issues = pool.models.flatMap((entry, index) => [
    ...checkNames(entry, index, names, source),
    ...checkEntry(entry, index, source, options),
  ])
  const { requiredRoles = ['chat'] } = options
  for (const [role, name] of Object.entries(pool.roles)) {
    if (!names.includes(name))
      issues.push(
        source.issueAt(
          ['roles', role],
          `there is no model ${JSON.stringify(name)}${didYouMean(name, names)}; there are ${names.join(', ')}`,
        ),
      )
  }
  for (const role of requiredRoles.filter((one) => pool.roles[one] === undefined)) {
    issues.push(
      source.issueAt(
        ['roles'],
        `${role} is missing${misspelt(role, pool.roles)}; name the model for it, for example "${role}: ${names[0] ?? ''}"`,
      ),
    )
  }
  const cycle = findCycle(pool.models)
  if (cycle)
    issues.push(
      source.issueAt(
        ['models', names.indexOf(cycle[0] ?? ''), 'fallback'],
        `the fallbacks go in a circle: ${cycle.join(' → ')}`,
      ),
    )
  return issues
}

function misspelt(role: string, roles: ModelPool['roles']): string {
  const near = Object.keys(roles).find((other) => didYouMean(other, [role]))
  return near === undefined ? '' : `; did you mean it by "${near}"?`
}

function checkNames(
  { name, fallback = [] }: ModelEntry,
  index: number,
  names: readonly string[],
  source: YamlSource,
): ConfigIssue[] {
  const first = names.indexOf(name)
  const twice =
    first < index
      ? [
          source.issueAt(
            ['models', index, 'name'],
            `the name ${JSON.stringify(name)} is taken by models[${first}]; give each model its own`,
          ),
        ]
      : []
  const unknown = fallback.flatMap((spare, position) =>
    names.includes(spare)
      ? []
      : [
          source.issueAt(
            ['models', index, 'fallback', position],
            `there is no model ${JSON.stringify(spare)}${didYouMean(spare, names)}`,
          ),
        ],
  )
  return [...twice, ...unknown]
}

function checkEntry(
  entry: ModelEntry,
  index: number,
  source: YamlSource,
  { table, ollamaHosts = 'any' }: ParseConfigOptions & { readonly table: ProviderTable },
): ConfigIssue[] {
  const at = (field: string, check: () => void): ConfigIssue[] => {
    try {
      check()
      return []
    } catch (error) {
      if (!isLlmError(error)) throw error
      return [source.issueAt(['models', index, field], error.message)]
    }
  }
  const { baseUrl, proxy } = entry
  const issues: ConfigIssue[] = []
  const own = at('provider', () => {
    const { provider, model } = parseModel({ provider: entry.provider, model: entry.model })
    const { name } = findRow(provider, table)
    if (!model) issues.push(source.issueAt(['models', index, 'model'], 'is missing; give the name of the model'))
    if (name === 'ollama' && ollamaHosts === 'loopback') {
      issues.push(
        ...at('base_url', () => {
          validateOllamaBaseUrl(baseUrl ?? '')
        }),
      )
    }
  })
  issues.push(...own)
  if (baseUrl) issues.push(...at('base_url', () => parseBaseUrl(baseUrl)))
  if (proxy)
    issues.push(
      ...at('proxy', () => {
        if (parseProxy(proxy, 'proxy').authorization() === undefined) return
        throw new LlmError(
          'config',
          'do not put a password in the file; set proxy_env to the name of the variable that holds the address',
        )
      }),
    )
  for (const [path, headers] of [
    [['headers'], entry.headers],
    [['vendor', 'headers'], entry.vendor?.['headers']],
  ] as const)
    issues.push(
      ...credentialHeaders(headers).map((name) =>
        source.issueAt(
          ['models', index, ...path, name],
          `do not put a credential in the file; write headers: {${name}: {env: NAME}} with the name of the variable that holds it`,
        ),
      ),
    )
  for (const [field, variable] of [
    ['api_key_env', entry.apiKeyEnv],
    ['base_url_env', entry.baseUrlEnv],
    ['proxy_env', entry.proxyEnv],
  ] as const) {
    if (variable && !/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(variable)) {
      // It may be the key itself, so it is not shown.
      issues.push(
        source.issueAt(
          ['models', index, field],
          'this is not the name of an environment variable; write the name, such as OPENAI_API_KEY, never the value',
        ),
      )
    }
  }
  return issues
}

/** Names of the headers that carry a credential as text: by their name, or by a value that looks like a key. */
const credentialHeaders = (headers: unknown): string[] =>
  Object.entries(headers ?? {}).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value !== 'string') return []
    const named = /auth|key|token|secret|cookie|pass|credential|signature/i.test(name)
    const keyLike = value.match(/[a-z\d]{20,}/gi)?.some((run) => /\d/.test(run)) ?? false
    return named || keyLike ? [name] : []
  })

function findCycle(models: readonly ModelEntry[]): readonly string[] | undefined {
  const spares = new Map(models.map(({ name, fallback = [] }) => [name, fallback]))
  let found: readonly string[] | undefined
  for (const { name } of models) {
    inOrder(
      name,
      (one) => spares.get(one) ?? [],
      (path) => {
        found ??= path
      },
    )
    if (found) return found
  }
  return undefined
}
