import { nearest, suggest } from '@modelport/core/settings'
import { inOrder } from '../base/in-order.js'
import type { ModelPool } from '../config/model-entry.js'
import { type CheckedEntry, checkEntry, type Report } from './check-entry.js'
import type { ConfigIssue } from './config-error.js'
import type { CheckOptions, ParseConfigOptions } from './parse-options.js'
import type { YamlSource } from './yaml-source.js'

/**
 * The parts of a file that have the right form. Models keep their places; fields of the wrong form
 * are missing.
 */
export interface CheckedPool {
  readonly models: readonly CheckedEntry[]
  /** Undefined if the part is missing or has the wrong form. */
  readonly roles: ModelPool['roles'] | undefined
}

/**
 * Finds problems beyond the form of a file: names that refer to nothing, unknown providers,
 * addresses that do not parse.
 */
export function checkPool(
  { models, roles }: CheckedPool,
  source: YamlSource,
  options: CheckOptions,
): ConfigIssue[] {
  const issues: ConfigIssue[] = []
  const report: Report = (path, message) => issues.push(source.issueAt(path, message))
  const names = models.map(({ name = '' }) => name)
  for (const [index, entry] of models.entries()) {
    const reportHere: Report = (path, message) => report(['models', index, ...path], message)
    checkNames(entry, index, names, reportHere)
    checkEntry(entry, options, reportHere)
  }
  if (roles) checkRoles(roles, names, options, report)
  const cycle = findCycle(models)
  if (cycle)
    report(
      ['models', names.indexOf(cycle[0] ?? ''), 'fallback'],
      `the fallbacks form a cycle: ${cycle.join(' → ')}`,
    )
  return issues
}

function checkRoles(
  roles: ModelPool['roles'],
  names: readonly string[],
  { requiredRoles = ['chat'] }: ParseConfigOptions,
  report: Report,
): void {
  for (const [role, name] of Object.entries(roles))
    if (!names.includes(name))
      report(['roles', role], `${unknownModel(name, names)}; there are ${names.join(', ')}`)
  for (const role of requiredRoles.filter((one) => roles[one] === undefined))
    report(
      ['roles'],
      Object.keys(roles).length
        ? `${role} is missing${misspelt(role, roles)}; name the model for it, for example "${role}: ${names[0] ?? ''}"`
        : `${role} is missing; add roles: {${role}: ${names[0] ?? 'NAME'}}`,
    )
}

const unknownModel = (name: string, names: readonly string[]): string =>
  `there is no model ${JSON.stringify(name)}${suggest(name, names, '')}`

function misspelt(role: string, roles: ModelPool['roles']): string {
  const near = Object.keys(roles).find((other) => nearest(other, [role]))
  return near === undefined ? '' : `; did you mean it by "${near}"?`
}

function checkNames(
  { name = '', fallback = [] }: CheckedEntry,
  index: number,
  names: readonly string[],
  report: Report,
): void {
  const first = names.indexOf(name)
  if (name && first < index)
    report(
      ['name'],
      `the name ${JSON.stringify(name)} is taken by models[${first}]; give each model its own`,
    )
  for (const [position, spare] of fallback.entries())
    if (!names.includes(spare)) report(['fallback', position], unknownModel(spare, names))
}

function findCycle(models: readonly CheckedEntry[]): readonly string[] | undefined {
  const spares = new Map(models.map(({ name = '', fallback = [] }) => [name, fallback]))
  let cycle: readonly string[] | undefined
  for (const { name = '' } of models) {
    inOrder(
      name,
      (one) => spares.get(one) ?? [],
      (path) => {
        cycle ??= path
      },
    )
    if (cycle) return cycle
  }
  return undefined
}
