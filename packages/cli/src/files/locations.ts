import { join } from 'node:path'
import type { Environment } from '@modelport/factory'

/** Where files are when no option says so. */
export interface Locations {
  /** Configuration: models and roles. */
  readonly config: string
  /** Keys, as `NAME=value` lines. */
  readonly keys: string
  /** One file for each saved chat. */
  readonly sessions: string
  /** What was typed in chats. */
  readonly history: string
  /** Provider packages that the user allowed to run. */
  readonly allowedPackages: string
  /** Pinned tools of MCP servers. */
  readonly lock: string
}

/**
 * The user's own folders, by the XDG rules. Nothing is ever looked for in the current folder: a
 * project that was cloned must not say where prompts and keys go.
 * @see https://specifications.freedesktop.org/basedir-spec/latest/ (read 2026-11-21)
 */
export function defaultLocations(environment: Environment, home: string): Locations {
  const folder = (variable: string, fallback: string): string => {
    const given = environment(variable)
    // A relative path is to be ignored.
    return join(given?.startsWith('/') ? given : join(home, fallback), 'modelport')
  }
  const config = folder('XDG_CONFIG_HOME', '.config')
  const state = folder('XDG_STATE_HOME', '.local/state')
  return {
    config: join(config, 'config.yaml'),
    keys: join(config, 'keys.env'),
    sessions: join(state, 'sessions'),
    history: join(state, 'history'),
    allowedPackages: join(state, 'allowed-packages.json'),
    lock: join(state, 'modelport.lock'),
  }
}
