import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { LlmError } from '@modelport/core'

/**
 * The default export of a module of the user. The module is code and runs as such.
 * @throws {LlmError} `config` — the file does not exist, or does not load.
 */
export async function loadUserModule(file: string, what: 'agents' | 'tools'): Promise<unknown> {
  if (!existsSync(file)) throw new LlmError('config', `${file}: there is no such file`)
  try {
    return ((await import(pathToFileURL(resolve(file)).href)) as { readonly default?: unknown }).default
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const missing = /^Cannot find package '([^']+)'/.exec(reason)?.[1]
    const fix = missing === undefined ? '' : `; run: npm i ${missing}, in the folder of the file`
    throw new LlmError('config', `${file}: the ${what} do not load: ${reason}${fix}`, { cause })
  }
}
