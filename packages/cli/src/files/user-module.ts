import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { configError } from '@modelport/core'
import { installAdvice } from '@modelport/factory'

/**
 * The default export of a module of the user. The module is code and runs as such.
 * @throws {LlmError} `config` — the file does not exist, or does not load; with the line of the
 * file, if it is known.
 */
export async function loadUserModule(file: string, what: 'agents' | 'tools'): Promise<unknown> {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw configError(`${file}: there is no such file`)
  const { href } = pathToFileURL(resolve(file))
  try {
    return ((await import(href)) as { readonly default?: unknown }).default
  } catch (cause) {
    const { message: reason, stack } = cause instanceof Error ? cause : new Error(String(cause))
    const line = /^:\d+/.exec(stack?.split(href)[1] ?? '')?.[0]
    const missing = /^Cannot find package '([^']+)'/.exec(reason)?.[1]
    // Node keeps the place of a syntax error to itself, and prints it.
    const showLine =
      cause instanceof SyntaxError && line === undefined
        ? `; run: node ${file}, which shows the line`
        : ''
    const fix =
      missing === undefined ? showLine : `; ${installAdvice(missing)}, in the folder of the file`
    throw configError(`${file}${line ?? ''}: the ${what} do not load: ${reason}${fix}`, { cause })
  }
}
