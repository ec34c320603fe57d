import type { z } from 'zod'
import { ConfigFileError, type ConfigIssue } from './config-error.js'
import { checkPool } from './check-pool.js'
import { checkForm, fieldsAt, type WrittenModel } from './config-schema.js'
import type { ModelEntry, ModelPool } from './model-entry.js'
import { defaultTable, type ProviderTable } from '../providers/provider-table.js'
import { didYouMean, suggest } from './suggestion.js'
import { parseYaml, type YamlSource } from './yaml-source.js'

/** How a configuration file is read. */
export interface ParseConfigOptions {
  /** Name of the file, for messages. Default `config.yaml`. */
  readonly file?: string
  /** Roles that must be given. Default `chat`. */
  readonly requiredRoles?: readonly string[]
  /** `loopback` refuses an Ollama that is not on this computer. Default `any`. */
  readonly ollamaHosts?: 'any' | 'loopback'
  /** Providers that may be named. Default: all that modelport knows. */
  readonly table?: ProviderTable
}

/**
 * Reads the `models:` and `roles:` of a YAML text; other parts are left to others. Nothing is loaded, nothing read but the text.
 * @throws {ConfigFileError} everything that is wrong, each with file, line, column, path, what was found and what was meant.
 */
export function parseConfig(text: string, options: ParseConfigOptions = {}): ModelPool {
  const { file = 'config.yaml', table = defaultTable() } = options
  const source = parseYaml(text, file)
  const form = checkForm(source.value ?? {})
  const misspelt = misspeltParts(source)
  if (form.issues) {
    const issues = form.issues.flatMap((issue) => toIssues(source, issue))
    // A part that is missing because its name is misspelt is one mistake, not two.
    const told = misspelt.length ? issues.filter(({ path }) => path.includes('.') || path.includes('[')) : issues
    throw new ConfigFileError([...misspelt, ...told])
  }
  const { models, roles } = form
  const pool: ModelPool = {
    models: models.map(toEntry),
    roles: Object.fromEntries(Object.entries(roles).flatMap(([role, name]) => (name ? [[role, name]] : []))),
  }
  const issues = [...misspelt, ...checkPool(pool, source, { ...options, table })]
  if (issues.length) throw new ConfigFileError(issues)
  return pool
}

function misspeltParts(source: YamlSource): ConfigIssue[] {
  const { value } = source
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.keys(value).flatMap((key) => {
    const meant = suggest(key, ['models', 'roles'])
    if (meant === undefined || key === meant || meant in value) return []
    return [source.issueAt([], `unknown part; did you mean "${meant}"?`, key)]
  })
}

type Issue = z.core.$ZodIssue

function toIssues(source: YamlSource, issue: Issue): ConfigIssue[] {
  const { path } = issue
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => source.issueAt(path, unknownField(path, key), key))
  const found = valueAt(source.value, path)
  return [
    source.issueAt(
      path,
      found === undefined
        ? `is missing; expected ${expectation(issue)}`
        : `found ${describe(found, path)}, expected ${expectation(issue)}`,
    ),
  ]
}

function unknownField(path: readonly PropertyKey[], key: string): string {
  if (/^api_?key$/i.test(key))
    return 'do not put a key in the file; set api_key_env to the name of the variable that holds it'
  return `unknown field${didYouMean(key, fieldsAt(path))}`
}

function expectation(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return (
        (
          {
            string: 'text',
            array: 'a list',
            record: 'fields',
            object: 'fields',
            boolean: 'true or false',
            number: 'a number',
            int: 'a whole number',
          } as Record<string, string>
        )[issue.expected] ?? issue.expected
      )
    case 'too_small':
      return issue.origin === 'string'
        ? 'text that is not empty'
        : issue.origin === 'array'
          ? 'at least one'
          : `at least ${String(issue.minimum)}${issue.inclusive ? '' : ' and not that'}`
    case 'too_big':
      return `at most ${String(issue.maximum)}`
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`
    default:
      return issue.message
  }
}

/** What stands there, without what might be a secret. */
function describe(value: unknown, path: readonly PropertyKey[]): string {
  if (Array.isArray(value)) return value.length ? 'a list' : 'an empty list'
  if (value === null) return 'nothing'
  if (typeof value === 'object') return 'fields'
  if (path.includes('headers') || path.includes('vendor') || path.includes('settings')) return `a ${typeof value}`
  return typeof value === 'string'
    ? `the text ${JSON.stringify(value.slice(0, 80))}`
    : `${JSON.stringify(value)}${typeof value === 'number' ? ' (put it in quotes if it is a text)' : ''}`
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, part) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[part] : undefined,
    value,
  )
}

/** From snake_case to our names; null and '' are unset. What is the vendor's own stays as it is. */
function toEntry(written: WrittenModel): ModelEntry {
  const { vendor, headers, settings, ...own } = written
  const kept = Object.fromEntries(Object.entries({ vendor, headers, settings }).filter(([, value]) => value))
  // The schema has checked each field, and the names differ by their form alone.
  return { ...(toCamelCase(own) as ModelEntry), ...kept }
}

function toCamelCase(value: object): object {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
      if (inner === null || inner === undefined || inner === '') return []
      const name = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
      return [[name, typeof inner === 'object' && !Array.isArray(inner) ? toCamelCase(inner) : inner]]
    }),
  )
}
