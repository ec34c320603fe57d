import { taskStates } from '@modelport/agent'
import { configError, isObject } from '@modelport/core'
import { checkRanges, checkSettings, optionForms } from '@modelport/core/settings'

type Form = typeof optionForms.system
const { system: text, parallelToolCalls: flag, tools: list, retry: object, signal } = optionForms
const form = (expected: string, fits: Form['fits']): Form => ({ expected, fits })
const callback = form('a function', (value) => typeof value === 'function')
const oneOf = (...texts: unknown[]): Form =>
  form(`one of ${texts.join(', ')}`, (value) => texts.includes(value))
/** Read late: where an agent's tests run on this store, its package loads this one. */
const states = (): readonly string[] => [
  ...taskStates,
  'ready',
  'running',
  'suspended',
  'finished',
  'stopped',
]
const fileName = form('the name of a file', (path) => typeof path === 'string' && path !== '')

/**
 * What arguments and settings must be, in all functions of a store: a form, or the least and the
 * most of a whole number.
 */
const forms: Readonly<Record<string, Form | readonly [least: number, most: number]>> = {
  id: text,
  name: text,
  request: text,
  reason: text,
  result: text,
  path: fileName,
  execute: callback,
  signal,
  decision: object,
  fingerprint: object,
  agents: list,
  runs: list,
  onError: callback,
  all: flag,
  dryRun: flag,
  type: oneOf('approve', 'deny', 'happened', 'did-not-happen', 'give-up'),
  state: {
    get expected(): string {
      return `one of ${states().join(', ')}`
    },
    fits: (value) => states().includes(String(value)),
  },
  before: [-8.64e15, 8.64e15],
  what: oneOf('all', 'pieces'),
  from: [0, 1e15],
  limit: [1, 1e15],
  maxMs: form('a number of at least 0', (value) => typeof value === 'number' && value >= 0),
  concurrency: [1, Infinity],
  maxTasks: [0, Infinity],
  leaseMs: [1000, 3_600_000],
  connections: [1, 10_000],
  reconnectMs: [0, Infinity],
  create: flag,
  prepare: flag,
  schema: form(
    'a name of at most 63 bytes, without quotes and not beginning with pg_',
    (name) =>
      typeof name === 'string' &&
      /^(?!pg_)[^"\0]+$/.test(name) &&
      new TextEncoder().encode(name).length < 64,
  ),
  encryptionKey: form('32 bytes', (key) => key instanceof Uint8Array && key.length === 32),
}

/**
 * Refuses arguments of another form, and settings that are not in `words`; one that ends in `?` may
 * be left out.
 * @throws {LlmError} `config`; {TypeError}
 */
export function checkArguments(where: string, given: object | undefined, words: string): void {
  const values = { ...given } as Readonly<Record<string, unknown>>
  checkSettings(where, values, words.replaceAll('?', '').split(' '))
  for (const [, name = '', mark] of words.matchAll(/(\w+)(\?)?/g)) {
    const form = forms[name]
    const value = values[name]
    if (value === undefined && mark) continue
    if (form && 'fits' in form) {
      if (form.fits(value)) continue
      const found =
        typeof value === 'string'
          ? JSON.stringify(value)
          : isObject(value)
            ? 'an object'
            : String(value)
      throw configError(
        `${where}: ${name} must be ${form.expected}, not ${name === 'encryptionKey' ? 'this' : found}`,
      )
    }
    if (form) checkRanges({ [name]: value ?? null }, [[name, ...form]], `${where}: `)
  }
}
