import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Agent } from '@modelport/agent'
import { LlmError } from '@modelport/core'

/**
 * Loads agents from a module of the user: its default export is an agent of `createAgent`, or a list of agents. The module is code and runs as such.
 * @throws {LlmError} `config` — the module does not load, or its default export is something else.
 */
export async function loadAgents(file: string): Promise<readonly Agent[]> {
  if (!existsSync(file)) throw new LlmError('config', `${file}: there is no such file`)
  let loaded: { readonly default?: unknown }
  try {
    loaded = (await import(pathToFileURL(resolve(file)).href)) as { readonly default?: unknown }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const missing = /^Cannot find package '([^']+)'/.exec(reason)?.[1]
    const fix = missing === undefined ? '' : `; run: npm i ${missing}, in the folder of the file`
    throw new LlmError('config', `${file}: the module does not load: ${reason}${fix}`, { cause })
  }
  const list: readonly unknown[] = Array.isArray(loaded.default) ? loaded.default : [loaded.default]
  if (!list.length || !list.every(isAgent))
    throw new LlmError(
      'config',
      `${file}: the default export must be an agent or a list of agents; write "export default createAgent({ … })"`,
    )
  return list
}

/** Structural: the module may load its own copy of the package. */
function isAgent(value: unknown): value is Agent {
  if (typeof value !== 'object' || value === null) return false
  const { name, card, settings } = value as Readonly<Record<string, unknown>>
  return typeof name === 'string' && isObject(card) && isObject(settings)
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null
