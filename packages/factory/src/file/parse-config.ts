import { isObject } from '@modelport/core'
import { nearest, suggest } from '@modelport/core/settings'
import type * as z from 'zod'
import type { ModelEntry, ModelPool } from '../config/model-entry.js'
import { defaultTable } from '../providers/provider-table.js'
import { type CheckedPool, checkPool } from './check-pool.js'
import { ConfigFileError, type ConfigIssue } from './config-error.js'
import { checkForm, fieldsAt, type WrittenModel } from './config-schema.js'
import type { ParseConfigOptions } from './parse-options.js'
import { parseYaml, type YamlSource } from './yaml-source.js'

/**
 * Reads the `models:` and `roles:` of a YAML text; other parts are left to others. Nothing is
 * loaded, nothing read but the text.
 * @throws {ConfigFileError} everything that is wrong, each with file, line, column, path, what was
 * found and what was meant.
 */
export function parseConfig(text: string, options: ParseConfigOptions = {}): ModelPool {
  const { file = 'config.yaml', table = defaultTable() } = options
  const source = parseYaml(text, file)
  const form = checkForm(source.value ?? {})
  const misspelt = misspeltParts(source)
  const formIssues = (form.issues ?? []).flatMap((issue) => toIssues(source, issue))

  // A misspelt part and the part that is then missing are one mistake: only the first is reported.
  const isOfPart = ({ path }: ConfigIssue): boolean => !/[.[]/.test(path)
  const formProblems = misspelt.length ? formIssues.filter((issue) => !isOfPart(issue)) : formIssues

  // What has the right form is checked further, unless the field has a wrong form already.
  const checked = form.issues ? usableParts(source.value, form.issues) : toPool(form)
  const reportedPaths = new Set(formIssues.map(({ path }) => path))
  if (misspelt.length) reportedPaths.add('roles')
  const contentProblems = checkPool(checked, source, { ...options, table }).filter(
    ({ path }) => !reportedPaths.has(path),
  )

  const issues = [...misspelt, ...formProblems, ...contentProblems]
  if (form.issues || issues.length) throw new ConfigFileError(issues)
  return toPool(form)
}

const toPool = ({
  models,
  roles,
}: {
  readonly models: readonly WrittenModel[]
  readonly roles?: object | null | undefined
}): ModelPool => ({
  models: models.map(toEntry),
  roles: rolesOf(roles ?? {}),
})

const rolesOf = (roles: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(roles).flatMap(([role, name]: [string, unknown]) =>
      typeof name === 'string' && name ? [[role, name.trim()]] : [],
    ),
  )

/**
 * The models and roles of a file without the fields that have a wrong form, so that the rest is
 * checked in the same pass.
 */
function usableParts(value: unknown, issues: readonly Issue[]): CheckedPool {
  const { models, roles } = (isObject(value) ? value : {}) as {
    readonly models?: unknown
    readonly roles?: unknown
  }
  const wrong = new Set(issues.map(({ path }) => path.slice(0, 3).map(String).join('.')))
  const entries = Array.isArray(models) ? models : []

  return {
    models: entries.map((entry: unknown, index) => {
      if (!isObject(entry)) return {}
      const fieldNames = new Set(fieldsAt(['models', index]))
      const fields = Object.entries(entry).filter(
        ([name]) => fieldNames.has(name) && !wrong.has(`models.${index}.${name}`),
      )
      return toEntry(Object.fromEntries(fields) as Partial<WrittenModel>)
    }),
    roles:
      isObject(roles) || roles === undefined || roles === null ? rolesOf(roles ?? {}) : undefined,
  }
}

function misspeltParts(source: YamlSource): ConfigIssue[] {
  const { value } = source
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.keys(value).flatMap((key) => {
    const meant = nearest(key, ['models', 'roles'])
    if (meant === undefined || key === meant || meant in value) return []
    return [source.issueAt([], `unknown part; did you mean "${meant}"?`, key)]
  })
}

type Issue = z.core.$ZodIssue

function toIssues(source: YamlSource, issue: Issue): ConfigIssue[] {
  const { path } = issue
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => source.issueAt(path, unknownField(path, key), key))
  const value = valueAt(source.value, path)
  return [
    source.issueAt(
      path,
      value === undefined
        ? `is missing; expected ${expectation(issue)}`
        : `found ${describe(value, path)}, expected ${expectation(issue)}`,
    ),
  ]
}

function unknownField(path: readonly PropertyKey[], key: string): string {
  if (/^api_?key$/i.test(key))
    return 'do not put a key in the file; set api_key_env to the name of the variable that holds it'
  return `unknown field${suggest(key, fieldsAt(path), '')}`
}

/** What people call each kind of value. */
const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  array: 'a list',
  record: 'fields',
  object: 'fields',
  boolean: 'true or false',
  number: 'a number',
  int: 'a whole number',
}

function expectation(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return kinds[issue.expected] ?? issue.expected
    case 'too_small':
      return smallest(issue)
    case 'too_big':
      return `at most ${String(issue.maximum)}`
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`
    default:
      return issue.message
  }
}

function smallest({ origin, minimum, inclusive }: z.core.$ZodIssueTooSmall): string {
  if (origin === 'string') return 'text that is not empty'
  if (origin === 'array') return 'at least one'
  return `at least ${String(minimum)}${inclusive ? '' : ' and not that'}`
}

/** The value in the file, without what might be a secret. */
function describe(value: unknown, path: readonly PropertyKey[]): string {
  if (Array.isArray(value)) return value.length ? 'a list' : 'an empty list'
  if (value === null) return 'nothing'
  if (typeof value === 'object') return 'fields'
  if (path.includes('headers') || path.includes('vendor') || path.includes('settings'))
    return `a ${typeof value}`
  if (typeof value === 'string') return `the text ${JSON.stringify(value.slice(0, 80))}`
  const advice = typeof value === 'number' ? ' (put it in quotes if it is a text)' : ''
  return JSON.stringify(value) + advice
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, part) =>
      typeof inner === 'object' && inner !== null
        ? (inner as Record<PropertyKey, unknown>)[part]
        : undefined,
    value,
  )
}

/** From snake_case to our names; null and '' are unset. A field of the vendor stays as it is. */
function toEntry<T extends Partial<WrittenModel>>(
  written: T,
): T extends WrittenModel ? ModelEntry : Partial<ModelEntry> {
  const { vendor, headers, settings, defaults, ...own } = written
  const vendorFields = Object.fromEntries(
    Object.entries({ vendor, headers, settings }).filter(([, value]) => value),
  )
  // The schema has checked each field, and the names differ by their form alone.
  // A default that is null is cleared, which is not the same as unset.
  const options = isObject(defaults) ? toCamelCase(defaults, true) : defaults
  return {
    ...toCamelCase(own),
    ...(options ? { defaults: options } : {}),
    ...vendorFields,
  } as T extends WrittenModel ? ModelEntry : Partial<ModelEntry>
}

function toCamelCase(value: object, keepNull = false): object {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
      if ((inner === null && !keepNull) || inner === undefined || inner === '') return []

      // A list of codes in a file; in code, `onSwitch` is the callback.
      const name =
        key === 'on_switch'
          ? 'codes'
          : key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
      return [[name, toCamelCaseValue(inner)]]
    }),
  )
}

function toCamelCaseValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCamelCaseValue)
  return isObject(value) ? toCamelCase(value) : value
}
