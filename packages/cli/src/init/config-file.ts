import { configError } from '@modelport/core'
import { type ModelPool, parseConfig } from '@modelport/factory'
import { Document, isMap, parseDocument } from 'yaml'
import { writePrivateFile } from '../files/private-file.js'
import { maxSettingsBytes, readTextIfAny } from '../files/text-file.js'
import type { NewModel } from './new-model.js'

/** The configuration as it stands, to add to it. */
export interface ConfigFile {
  /** Undefined where there is no file yet. */
  readonly text: string | undefined
  readonly pool: ModelPool | undefined
}

/** Reads the file. @throws {ConfigFileError} it is there and cannot be used. */
export async function readConfig(path: string): Promise<ConfigFile> {
  const text = await readTextIfAny(path, maxSettingsBytes)
  if (!text?.trim()) return { text: undefined, pool: undefined }
  // Another program's part of the file stays, also where models are still missing.
  const hasModels = parseDocument(text).has('models')
  return {
    text,
    pool: hasModels ? parseConfig(text, { file: path, requiredRoles: [] }) : undefined,
  }
}

/** A name that no model has yet. */
export function freeName({ pool }: ConfigFile, wanted = 'main'): string {
  const names = pool?.models.map(({ name }) => name) ?? []
  let name = wanted
  for (let count = 2; names.includes(name); count++) name = `${wanted}-${count}`
  return name
}

/**
 * Adds a model, and gives it the role `chat` where nobody has it or it is asked for; comments and
 * other parts stay.
 */
export async function addModel(
  path: string,
  { text }: ConfigFile,
  { name, provider, model, baseUrl, clouds, apiKeyEnv, supportsTools }: NewModel,
  chat: boolean,
): Promise<void> {
  const entry = {
    name,
    provider,
    model,
    ...(baseUrl !== undefined && { base_url: baseUrl }),
    ...clouds,
    ...(apiKeyEnv !== undefined && { api_key_env: apiKeyEnv }),
    ...(supportsTools !== undefined && { profile: { supports_tools: supportsTools } }),
  }
  const document: Document = text === undefined ? new Document({}) : parseDocument(text)
  if (document.contents !== null && !isMap(document.contents))
    throw configError(`${path}: expected fields such as "models:"`)
  if (document.has('models')) document.addIn(['models'], document.createNode(entry))
  else document.set('models', document.createNode([entry]))
  if (!document.has('roles')) document.set('roles', document.createNode({}))
  if (chat || !document.getIn(['roles', 'chat'])) document.setIn(['roles', 'chat'], name)
  const written = document.toString({ lineWidth: 0 })
  // A file that could not be read back is not written.
  parseConfig(written, { file: path })
  await writePrivateFile(path, written)
}
