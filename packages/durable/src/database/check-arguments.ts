import { taskStates } from '@modelport/agent'
import { configError, isObject } from '@modelport/core'
import { checkRanges, checkSettings, optionForms } from '@modelport/core/settings'

/** What a value must be, in words and as a test. */
type Form = typeof optionForms.system

/** The least and the most of a whole number. */
type Range = readonly [least: number, most: number]

const form = (expected: string, fits: Form['fits']): Form => ({ expected, fits })

const oneOf = (...texts: readonly unknown[]): Form =>
  form(`one of ${texts.join(', ')}`, (value) => texts.includes(value))

const { system: text, parallelToolCalls: flag, tools: list, retry: object, signal } = optionForms
const callback = form('a function', (value) => typeof value === 'function')
const fileName = form('the name of a file', (path) => typeof path === 'string' && path !== '')
const duration = form('a number of at least 0', (ms) => typeof ms === 'number' && ms >= 0)
const key = form('32 bytes', (bytes) => bytes instanceof Uint8Array && bytes.length === 32)

const schemaName = form(
  'a name of at most 63 bytes, without quotes and not beginning with pg_',
  (name) =>
    typeof name === 'string' &&
    /^(?!pg_)[^"\0]+$/.test(name) &&
    new TextEncoder().encode(name).length < 64,
)

/** Read late: where an agent's tests run on this store, its package loads this one. */
const states = (): readonly string[] => [
  ...taskStates,
  'ready',
  'running',
  'suspended',
  'finished',
  'stopped',
]
const state: Form = {
  get expected(): string {
    return `one of ${states().join(', ')}`
  },
  fits: (value) => states().includes(String(value)),
}

/** What arguments and settings must be, in all functions of a store. */
const forms: Readonly<Record<string, Form | Range>> = {
  // Runs and their definitions.
  id: text,
  name: text,
  request: text,
  fingerprint: object,
  execute: callback,
  signal,
  from: [0, 1e15],
  concurrency: [1, Infinity],
  takeOver: flag,

  // Decisions.
  decision: object,
  type: oneOf('approve', 'deny', 'happened', 'did-not-happen', 'give-up'),
  reason: text,
  result: text,

  // `operations` and `work`.
  state,
  all: flag,
  limit: [1, 1e15],
  before: [-8.64e15, 8.64e15],
  what: oneOf('all', 'pieces'),
  dryRun: flag,
  version: text,
  principal: text,
  to: text,
  also: callback,
  waitMs: duration,
  agents: list,
  runs: list,
  maxMs: duration,
  maxTasks: [0, Infinity],
  onError: callback,

  // The functions that open a store.
  path: fileName,
  create: flag,
  prepare: flag,
  schema: schemaName,
  encryptionKey: key,
  leaseMs: [1000, 3_600_000],
  connections: [1, 10_000],
  reconnectMs: [0, Infinity],
}

/** The arguments that a function takes, and which of them may be left out. */
export type Arguments = Readonly<Record<string, 'required' | 'optional'>>

/**
 * Refuses arguments of another form, and those that are not in `expected`.
 * @throws {LlmError} `config` — an argument is not of its form
 * @throws {TypeError} an argument is not known
 */
export function checkArguments(
  where: string,
  given: object | undefined,
  expected: Arguments,
): void {
  const values = { ...given } as Readonly<Record<string, unknown>>
  checkSettings(where, values, Object.keys(expected))

  for (const [name, presence] of Object.entries(expected)) {
    const value = values[name]
    const rule = forms[name]
    if (!rule || (value === undefined && presence === 'optional')) continue

    if (!('fits' in rule)) checkRanges({ [name]: value ?? null }, [[name, ...rule]], `${where}: `)
    else if (!rule.fits(value)) {
      const shown = name === 'encryptionKey' ? 'this' : describe(value)
      throw configError(`${where}: ${name} must be ${rule.expected}, not ${shown}`)
    }
  }
}

function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  return isObject(value) ? 'an object' : String(value)
}
