import { isLlmError, parseBaseUrl } from '@modelport/core'
import { checkSettings, checkVendor } from '../config/config-fields.js'
import type { ModelEntry } from '../config/model-entry.js'
import { parseModel } from '../config/model-string.js'
import { validateOllamaBaseUrl } from '../providers/ollama-host.js'
import { rowFor } from '../providers/own-row.js'
import { parseProxy } from '../resolve/addresses.js'
import { toFileNames } from './file-names.js'
import type { CheckOptions } from './parse-options.js'

/** A model of a file, with the fields that have the right form. */
export type CheckedEntry = Partial<ModelEntry>

/** Notes a problem at a place of the file, or of one model in it. */
export type Report = (path: readonly PropertyKey[], message: string) => void

/**
 * Finds problems of one model beyond its form: provider, addresses, names of variables,
 * credentials.
 */
export function checkEntry(entry: CheckedEntry, options: CheckOptions, report: Report): void {
  const check = (field: string, run: () => unknown): void => {
    try {
      run()
    } catch (error) {
      if (!isLlmError(error)) throw error
      report([field], toFileNames(error.message))
    }
  }
  const { baseUrl, proxy, settings = {} } = entry
  checkProvider(entry, options, check, report)
  if (baseUrl) check('base_url', () => parseBaseUrl(baseUrl))
  if (proxy)
    check('proxy', () => {
      if (parseProxy(proxy, 'proxy').authorization() !== undefined)
        report(
          ['proxy'],
          'do not put a password in the file; set proxy_env to the name of the variable that holds the address',
        )
    })
  check('settings', () => checkSettings({ settings }))
  check('vendor', () => checkVendor(entry))
  for (const name of Object.keys(settings))
    if (/^(?:\w*token|\w*secret|\w*password|credentials?)$/i.test(name))
      report(
        ['settings', name],
        'do not put a key in the file; set api_key_env to the name of the variable that holds it',
      )
  checkHeaders(entry, report)
  checkVariables(entry, report)
}

function checkProvider(
  { provider, model, baseUrl, baseUrlEnv, package: specifier }: CheckedEntry,
  { table, ollamaHosts = 'any' }: CheckOptions,
  check: (field: string, run: () => unknown) => void,
  report: Report,
): void {
  if (provider === undefined) return
  // `rowFor` throws for a provider that is not known.
  check('provider', () => {
    const parsed = parseModel({ provider, model })
    const { name } = rowFor({ ...parsed, package: specifier }, table)
    if (!parsed.model) report(['model'], 'is missing; give the name of the model')
    if (specifier && !baseUrl && !baseUrlEnv)
      report(['base_url'], 'is missing; a provider with package needs it')
    if (name === 'ollama' && ollamaHosts === 'loopback')
      check('base_url', () => validateOllamaBaseUrl(baseUrl ?? ''))
  })
}

function checkHeaders({ headers, vendor }: CheckedEntry, report: Report): void {
  const places = [
    [['headers'], headers],
    [['vendor', 'headers'], vendor?.['headers']],
  ] as const
  for (const [path, headerFields] of places)
    for (const name of credentialHeaders(headerFields))
      report(
        [...path, name],
        `do not put a credential in the file; write headers: {${name}: {env: NAME}} with the name of the variable that holds it`,
      )
}

function checkVariables(
  { apiKeyEnv, baseUrlEnv, proxyEnv, headers }: CheckedEntry,
  report: Report,
): void {
  const check = (path: readonly string[], variable: string | undefined): void => {
    if (!variable || /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(variable)) return
    // It may be the key itself, so it is not shown.
    report(
      path,
      'this is not the name of an environment variable; write the name, such as OPENAI_API_KEY, never the value',
    )
  }
  check(['api_key_env'], apiKeyEnv)
  check(['base_url_env'], baseUrlEnv)
  check(['proxy_env'], proxyEnv)
  for (const [name, value] of Object.entries(headers ?? {}))
    if (typeof value === 'object') check(['headers', name, 'env'], value.env)
}

/**
 * Names of the headers that carry a credential as text: by their name, or by a value that looks
 * like a key.
 */
const credentialHeaders = (headers: unknown): string[] =>
  Object.entries(headers ?? {}).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value !== 'string') return []
    const named = /auth|key|token|secret|cookie|pass|credential|signature/i.test(name)
    const keyLike = value.match(/[a-z\d]{20,}/gi)?.some((run) => /\d/.test(run)) ?? false
    return named || keyLike ? [name] : []
  })
