import { configError, isLlmError } from '@modelport/core'
import { describeCode } from '../errors/system-problem.js'
import { writePrivateFile } from './private-file.js'
import { maxSettingsBytes, readTextIfAny } from './text-file.js'

const line = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/

/**
 * The keys of a file, by the name of the variable. Empty if there is no file.
 * @throws {LlmError} `config` — a line is not `NAME=value`.
 */
export async function readKeyFile(path: string): Promise<Map<string, string>> {
  const keys = new Map<string, string>()
  const text = await readText(path)
  for (const [index, row] of text.split(/\r?\n/).entries()) {
    if (!row.trim() || row.trim().startsWith('#')) continue
    const [, name, value] = line.exec(row) ?? []
    // The line may be a key, so it is not shown.
    if (name === undefined || value === undefined)
      throw configError(`${path}:${index + 1}: expected NAME=value; correct the line, or delete it`)
    keys.set(name, value.replace(/^(["'])(.*)\1$/, '$2'))
  }
  return keys
}

/**
 * Adds a key to the file.
 * @throws {LlmError} `config` — the key has a line break, or the file has another key of this name:
 * some model uses it.
 */
export async function saveKey(path: string, name: string, value: string): Promise<void> {
  if (/[\r\n]/.test(value)) throw configError('the key has a line break; it was not saved')
  const known = (await readKeyFile(path)).get(name)
  if (known !== undefined && known !== value)
    throw configError(
      `${path} has another key named ${name}, which was not replaced; choose another name with --key-env, or delete the line`,
    )
  const rows = (await readText(path))
    .split(/\r?\n/)
    .filter((row) => row.trim() && line.exec(row)?.[1] !== name)
  await writePrivateFile(path, `${[...rows, `${name}=${value}`].join('\n')}\n`)
}

async function readText(path: string): Promise<string> {
  try {
    return (await readTextIfAny(path, maxSettingsBytes)) ?? ''
  } catch (error) {
    if (isLlmError(error)) throw error
    throw configError(
      `the key file ${path} cannot be read: ${describeCode(error)}; make it a file that you can read, or delete it`,
    )
  }
}

/**
 * A new variable for the key of this model, neither in the file nor in `taken`: each model keeps
 * its own key.
 */
export async function freeKeyName(
  path: string,
  model: string,
  taken: readonly string[],
): Promise<string> {
  const known = await readKeyFile(path)
  const wanted = `MODELPORT_KEY_${model.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`.slice(0, 100)
  let name = wanted
  for (let count = 2; known.has(name) || taken.includes(name); count++) name = `${wanted}_${count}`
  return name
}
