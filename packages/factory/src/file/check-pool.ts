import { nearest, suggest } from '@modelport/core/settings'
import { inOrder } from '../base/in-order.js'
import type { ModelPool } from '../config/model-entry.js'
import type { ProviderRow } from '../providers/row.js'
import { type CheckedEntry, checkEntry } from './check-entry.js'
import type { ConfigIssue } from './config-error.js'
import type { ParseConfigOptions } from './parse-options.js'
import type { YamlSource } from './yaml-source.js'

/** The parts of a file that have the right form. Models keep their places; fields of the wrong form are missing. */
export interface CheckedPool {
  readonly models: readonly CheckedEntry[]
  /** Undefined if the part is missing or has the wrong form. */
  readonly roles: ModelPool['roles'] | undefined
}

/** Finds problems beyond the form of a file: names that refer to nothing, unknown providers, addresses that do not parse. */
export function checkPool(
  pool: CheckedPool,
  source: YamlSource,
  options: ParseConfigOptions & { readonly table: ReadonlyMap<string, ProviderRow> },
): ConfigIssue[] {
  const names = pool.models.map(({ name = '' }) => name)
  const issues = pool.models.flatMap((entry, index) => [
    ...checkNames(entry, index, names, source),
    ...checkEntry(entry, index, source, options),
  ])
  if (pool.roles) issues.push(...checkRoles(pool.roles, names, source, options))
  const cycle = findCycle(pool.models)
  if (cycle)
    issues.push(
      source.issueAt(
        ['models', names.indexOf(cycle[0] ?? ''), 'fallback'],
        `the fallbacks form a cycle: ${cycle.join(' → ')}`,
      ),
    )
  return issues
}

function checkRoles(
  roles: ModelPool['roles'],
  names: readonly string[],
  source: YamlSource,
  { requiredRoles = ['chat'] }: ParseConfigOptions,
): ConfigIssue[] {
  const unknown = Object.entries(roles).flatMap(([role, name]) =>
    names.includes(name)
      ? []
      : [
          source.issueAt(
            ['roles', role],
            `there is no model ${JSON.stringify(name)}${suggest(name, names, '')}; there are ${names.join(', ')}`,
          ),
        ],
  )
  const missing = requiredRoles
    .filter((one) => roles[one] === undefined)
    .map((role) =>
      source.issueAt(
        ['roles'],
        Object.keys(roles).length
          ? `${role} is missing${misspelt(role, roles)}; name the model for it, for example "${role}: ${names[0] ?? ''}"`
          : `${role} is missing; add roles: {${role}: ${names[0] ?? 'NAME'}}`,
      ),
    )
  return [...unknown, ...missing]
}

function misspelt(role: string, roles: ModelPool['roles']): string {
  const near = Object.keys(roles).find((other) => nearest(other, [role]))
  return near === undefined ? '' : `; did you mean it by "${near}"?`
}

function checkNames(
  { name = '', fallback = [] }: CheckedEntry,
  index: number,
  names: readonly string[],
  source: YamlSource,
): ConfigIssue[] {
  const first = names.indexOf(name)
  const twice =
    name && first < index
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
            `there is no model ${JSON.stringify(spare)}${suggest(spare, names, '')}`,
          ),
        ],
  )
  return [...twice, ...unknown]
}

function findCycle(models: readonly CheckedEntry[]): readonly string[] | undefined {
  const spares = new Map(models.map(({ name = '', fallback = [] }) => [name, fallback]))
  let found: readonly string[] | undefined
  for (const { name = '' } of models) {
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
