import {
  type CallOptions,
  type ChatMessage,
  configError,
  fromJson,
  isObject,
  type ToolDefinition,
  type ToolResult,
} from '@modelport/core'
import { optionForms } from '@modelport/core/settings'
import { findRow, type ModelConfig } from '@modelport/factory'
import type { GivenLimits } from '@modelport/runtime'

/** The requests of a recording: enough to repeat them without a configuration, a key or the tools' code. */
export interface RecordedAsk {
  readonly model: Pick<
    ModelConfig,
    'provider' | 'model' | 'baseUrl' | 'vendor' | 'defaults' | 'azure' | 'vertex' | 'settings'
  >
  readonly options: CallOptions
  readonly prompt: string
  /** The later messages of a chat, each sent after the reply to the one before. */
  readonly followUps?: readonly string[]
  /** The conversation before the prompt, of a chat that was resumed. */
  readonly history?: readonly ChatMessage[]
  readonly tools: readonly ToolDefinition[]
  /** The value of the profile about tools, which decides how they are offered. */
  readonly supportsTools?: boolean
  /** Results of the tools, in order. */
  readonly results: readonly ToolResult[]
  /** The limits that decide where a run ends. Unset: nothing limited it. */
  readonly limits?: Pick<GivenLimits, 'maxSteps' | 'maxRepeats' | 'repeatableTools'>
}

type Fields = Readonly<Record<string, unknown>>
type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isNumber: Check = (value) => typeof value === 'number'
const isFlag: Check = (value) => typeof value === 'boolean'
const isList: Check = (value) => Array.isArray(value)

/** Options that are not recorded here: those that act only here, and the tools, stored separately. `null` clears a default. */
const notRecorded: readonly string[] = ['tools', 'signal', 'deadlineMs', 'retry']

const optionFields: Readonly<Record<string, Check>> = Object.fromEntries(
  Object.entries(optionForms)
    .filter(([name]) => !notRecorded.includes(name))
    .map(([name, { fits }]) => [name, (value: unknown) => value === null || fits(value)]),
)
/** Settings of provider packages that change a request and nothing else. */
const settingFields: Readonly<Record<string, Check>> = {
  api: isText,
  apiVersion: isText,
  betas: isList,
  citations: isFlag,
  organization: isText,
  project: isText,
  quirks: isObject,
  traits: isObject,
  lenientEof: isFlag,
}

/**
 * Reads what was asked from a cassette. A cassette may come from anybody, so each field is named here, and a file with any other is refused:
 * a cassette cannot choose an address, a transport, credentials or a second model.
 * @throws {LlmError} `config` — it is not there, or has a field that is not known or is not of its form.
 */
export function readRecordedAsk(value: unknown, path: string): RecordedAsk {
  const refuse = (where: string): never => {
    throw configError(`cassette: ${path}: asked${where} is not what "modelport record" writes; record it again`)
  }
  if (!isObject(value))
    throw configError(`cassette: ${path} was not made by "modelport record": it does not say what was asked`)
  const read = (from: unknown, where: string, known: Readonly<Record<string, Check>>): Fields => {
    if (!isObject(from)) return refuse(where)
    for (const [name, one] of Object.entries(from))
      if (!Object.hasOwn(known, name) || !known[name]?.(one)) refuse(`${where}.${name}`)
    return from
  }
  const asked = read(value, '', {
    model: isObject,
    options: isObject,
    prompt: isText,
    followUps: (list) => isList(list) && (list as readonly unknown[]).every(isText),
    history: isList,
    tools: (list) => isList(list) && (list as readonly unknown[]).every(isObject),
    supportsTools: isFlag,
    results: (list) => isList(list) && (list as readonly unknown[]).every(isObject),
    limits: isObject,
  })
  for (const name of ['model', 'options', 'prompt', 'tools', 'results']) if (!(name in asked)) refuse(`.${name}`)
  const model = read(asked['model'], '.model', {
    provider: isText,
    model: isText,
    baseUrl: isText,
    vendor: isObject,
    defaults: (value) => value === 'vendor' || isObject(value),
    azure: isObject,
    vertex: isObject,
    settings: isObject,
  })
  read(asked['options'], '.options', optionFields)
  const defaults = model['defaults'] ?? {}
  read(defaults === 'vendor' ? {} : defaults, '.model.defaults', {
    ...optionFields,
    deadlineMs: isNumber,
    retry: isObject,
  })
  read(model['azure'] ?? {}, '.model.azure', { deployment: isText, apiVersion: isText })
  read(model['vertex'] ?? {}, '.model.vertex', { project: isText, location: isText })
  read(model['settings'] ?? {}, '.model.settings', settingFields)
  read(asked['limits'] ?? {}, '.limits', {
    maxSteps: isNumber,
    maxRepeats: isNumber,
    repeatableTools: (list) => isList(list) && (list as readonly unknown[]).every(isText),
  })
  if (asked['history']) fromJson({ version: 1, messages: asked['history'] })
  if (!isText(model['provider']) || findRow(String(model['provider'])).offline) refuse('.model.provider')
  return isRecordedAsk(asked) ? asked : refuse('')
}

/** The fields were read above; this tells the compiler. */
const isRecordedAsk = (asked: object): asked is RecordedAsk => 'prompt' in asked
