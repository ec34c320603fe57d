import { isLlmError, LlmError, parseBaseUrl } from '@modelport/core'
import { checkSettings, checkVendor } from '../config/config-fields.js'
import type { ModelEntry } from '../config/model-entry.js'
import { parseModel } from '../config/model-string.js'
import { validateOllamaBaseUrl } from '../providers/ollama-host.js'
import { rowFor } from '../providers/own-row.js'
import type { ProviderRow } from '../providers/row.js'
import { parseProxy } from '../resolve/addresses.js'
import type { ConfigIssue } from './config-error.js'
import { toFileNames } from './file-names.js'
import type { ParseConfigOptions } from './parse-options.js'
import type { YamlSource } from './yaml-source.js'

/** A model of a file, with the fields that have the right form. */
export type CheckedEntry = Partial<ModelEntry>

/** Finds problems of one model beyond its form: provider, addresses, names of variables, credentials. */
export function checkEntry(
  entry: CheckedEntry,
  index: number,
  source: YamlSource,
  options: ParseConfigOptions & { readonly table: ReadonlyMap<string, ProviderRow> },
): ConfigIssue[] {
  const check = (field: string, run: () => unknown): ConfigIssue[] => {
    try {
      run()
      return []
    } catch (error) {
      if (!isLlmError(error)) throw error
      return [source.issueAt(['models', index, field], toFileNames(error.message))]
    }
  }
  const { baseUrl, proxy, settings = {} } = entry
  return [
    ...checkProvider(entry, index, source, options, check),
    ...(baseUrl ? check('base_url', () => parseBaseUrl(baseUrl)) : []),
    ...(proxy
      ? check('proxy', () => {
          checkProxy(proxy)
        })
      : []),
    ...check('settings', () => {
      checkSettings({ settings })
    }),
    ...check('vendor', () => {
      checkVendor(entry)
    }),
    ...Object.keys(settings)
      .filter((name) => /^(?:\w*token|\w*secret|\w*password|credentials?)$/i.test(name))
      .map((name) =>
        source.issueAt(
          ['models', index, 'settings', name],
          'do not put a key in the file; set api_key_env to the name of the variable that holds it',
        ),
      ),
    ...checkHeaders(entry, index, source),
    ...checkVariables(entry, index, source),
  ]
}

function checkProvider(
  { provider, model, baseUrl, baseUrlEnv, package: own }: CheckedEntry,
  index: number,
  source: YamlSource,
  { table, ollamaHosts = 'any' }: ParseConfigOptions & { readonly table: ReadonlyMap<string, ProviderRow> },
  check: (field: string, run: () => unknown) => ConfigIssue[],
): ConfigIssue[] {
  if (provider === undefined) return []
  const more: ConfigIssue[] = []
  const issues = check('provider', () => {
    const parsed = parseModel({ provider, model })
    const { name } = rowFor({ ...parsed, package: own }, table)
    if (!parsed.model) more.push(source.issueAt(['models', index, 'model'], 'is missing; give the name of the model'))
    if (own && !baseUrl && !baseUrlEnv)
      more.push(source.issueAt(['models', index, 'base_url'], 'is missing; a provider with package needs it'))
    if (name === 'ollama' && ollamaHosts === 'loopback')
      more.push(
        ...check('base_url', () => {
          validateOllamaBaseUrl(baseUrl ?? '')
        }),
      )
  })
  return [...more, ...issues]
}

function checkProxy(proxy: string): void {
  if (parseProxy(proxy, 'proxy').authorization() === undefined) return
  throw new LlmError(
    'config',
    'do not put a password in the file; set proxy_env to the name of the variable that holds the address',
  )
}

function checkHeaders({ headers, vendor }: CheckedEntry, index: number, source: YamlSource): ConfigIssue[] {
  const places = [
    [['headers'], headers],
    [['vendor', 'headers'], vendor?.['headers']],
  ] as const
  return places.flatMap(([path, given]) =>
    credentialHeaders(given).map((name) =>
      source.issueAt(
        ['models', index, ...path, name],
        `do not put a credential in the file; write headers: {${name}: {env: NAME}} with the name of the variable that holds it`,
      ),
    ),
  )
}

function checkVariables(
  { apiKeyEnv, baseUrlEnv, proxyEnv, headers }: CheckedEntry,
  index: number,
  source: YamlSource,
): ConfigIssue[] {
  const ofHeaders = Object.entries(headers ?? {}).flatMap(([name, value]) =>
    typeof value === 'object' ? [[['headers', name, 'env'], value.env] as const] : [],
  )
  const named = [
    [['api_key_env'], apiKeyEnv],
    [['base_url_env'], baseUrlEnv],
    [['proxy_env'], proxyEnv],
    ...ofHeaders,
  ] as const
  return named.flatMap(([path, variable]) =>
    variable && !/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(variable)
      ? [
          // It may be the key itself, so it is not shown.
          source.issueAt(
            ['models', index, ...path],
            'this is not the name of an environment variable; write the name, such as OPENAI_API_KEY, never the value',
          ),
        ]
      : [],
  )
}

/** Names of the headers that carry a credential as text: by their name, or by a value that looks like a key. */
const credentialHeaders = (headers: unknown): string[] =>
  Object.entries(headers ?? {}).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value !== 'string') return []
    const named = /auth|key|token|secret|cookie|pass|credential|signature/i.test(name)
    const keyLike = value.match(/[a-z\d]{20,}/gi)?.some((run) => /\d/.test(run)) ?? false
    return named || keyLike ? [name] : []
  })
