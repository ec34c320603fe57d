import { createHash } from 'node:crypto'
import { isObject, type JsonObject } from '@modelport/core'
import type { RunFunction } from './execute-run.js'

/** A kind of run that any process with the same definition can continue. */
export interface RunDefinition {
  /** Names the kind; a run that was started under another fingerprint of this name is not claimed. */
  readonly name: string
  /** Everything that must be the same in the process that continues: model, tools, prompts, a version. Plain JSON. */
  readonly fingerprint: JsonObject
  /** Does the work; called again in this or another process until the run is over. */
  readonly execute: RunFunction
}

/** Hash of the fingerprint: only workers of the same one claim a run. */
export const versionOf = ({ fingerprint }: Pick<RunDefinition, 'fingerprint'>): string =>
  createHash('sha256').update(canonical(fingerprint)).digest('hex').slice(0, 16)

/** The versions that a worker of the definition serves. */
export const servedBy = (name: string, version: string): string => JSON.stringify([name, version])

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  )
}

/** The difference between two fingerprints, in words. */
export function differences(before: unknown, after: JsonObject): string {
  const old = isObject(before) ? before : {}
  const names = [...new Set([...Object.keys(old), ...Object.keys(after)])]
  const changed = names.filter((name) => canonical(old[name]) !== canonical(after[name]))
  return (
    changed.map((name) => `${name} (${show(old[name])} → ${show(after[name])})`).join(', ') || 'nothing that is known'
  )
}

const show = (value: unknown): string => (value === undefined ? 'none' : canonical(value)).slice(0, 80)
