import { configError } from './error.js'

/**
 * Refuses a platform that lacks what modelport is written with, before anything is sent. It looks
 * for the function and not for a version, so that it is right in every runtime.
 * @throws {LlmError} `config` — the platform is too old; says which Node is new enough.
 */
export function checkPlatform(): void {
  if (!('withResolvers' in Promise))
    throw configError(
      'modelport needs Node 22.19 or newer, or a runtime that has Promise.withResolvers, which this one lacks; update it',
    )
}
