import type { Agent } from '@modelport/agent'
import { configError, isObject } from '@modelport/core'
import { loadUserModule } from '../files/user-module.js'

/**
 * Loads agents from a module of the user: its default export is an agent of `createAgent`, or a
 * list of agents. The module is code and runs as such.
 * @throws {LlmError} `config` — the module does not load, or its default export is something else.
 */
export async function loadAgents(file: string): Promise<readonly Agent[]> {
  const loaded = await loadUserModule(file, 'agents')
  const list: readonly unknown[] = Array.isArray(loaded) ? loaded : [loaded]
  if (!list.length || !list.every(isAgent))
    throw configError(
      `${file}: the default export must be an agent or a list of agents; write "export default createAgent({ … })"`,
    )
  return list
}

/** Structural: the module may load its own copy of the package. */
export function isAgent(value: unknown): value is Agent {
  if (!isObject(value)) return false
  const { name, card, settings } = value
  return typeof name === 'string' && isObject(card) && isObject(settings)
}
