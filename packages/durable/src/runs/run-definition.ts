import { isObject, type JsonObject } from '@modelport/core'
import { canonicalHash } from '@modelport/runtime'
import { checkArguments } from '../database/check-arguments.js'
import type { RunFunction } from './execute-run.js'

/** A kind of run that any process with the same definition can continue. */
export interface RunDefinition {
  /**
   * Names the kind; a run that was started under another fingerprint of this name is not claimed.
   */
  readonly name: string
  /**
   * Everything that must be the same in the process that continues: model, tools, prompts, a
   * version. Plain JSON.
   */
  readonly fingerprint: JsonObject
  /** Does the work; called again in this or another process until the run is over. */
  readonly execute: RunFunction
}

/**
 * Hash of the fingerprint: only workers of the same one claim a run.
 * @throws {LlmError} `config`, {TypeError} — it is not a definition
 */
export function versionOf(definition: RunDefinition): string {
  checkArguments('the definition of a run', definition, {
    name: 'required',
    fingerprint: 'required',
    execute: 'required',
  })
  return canonicalHash(definition.fingerprint).slice(0, 16)
}

/** The versions that a worker of the definition serves. */
export const servedBy = (name: string, version: string): string => JSON.stringify([name, version])

/** The difference between two fingerprints, in words. */
export function differences(before: unknown, after: JsonObject): string {
  const old = isObject(before) ? before : {}
  const names = [...new Set([...Object.keys(old), ...Object.keys(after)])]
  const changed = names.filter((name) => canonicalHash(old[name]) !== canonicalHash(after[name]))
  return (
    changed.map((name) => `${name} (${show(old[name])} → ${show(after[name])})`).join(', ') ||
    'nothing that is known'
  )
}

const show = (value: unknown): string =>
  (value === undefined ? 'none' : JSON.stringify(value)).slice(0, 80)
