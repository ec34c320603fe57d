import { isObject } from '@modelport/core'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { AnyPrompt, Handler } from './prompt.js'

/** SHA-256 of what shapes a turn: wording, parser, tools, handlers, options. Two prompts that ask for the same have the same hash. */
export function hashPrompt(prompt: AnyPrompt): string {
  const shape = {
    text: prompt.text,
    parser: prompt.parser.shape,
    tools: prompt.tools?.map(({ definition }) => definition),
    providerTools: prompt.providerTools,
    onParseError: handlerShape(prompt.onParseError),
    onToolResults: prompt.onToolResults === false ? false : handlerShape(prompt.onToolResults),
    lastCall: handlerShape(prompt.lastCall),
    options: prompt.options && Object.fromEntries(Object.entries(prompt.options).filter(([key]) => key !== 'signal')),
  }
  return canonicalHash(shape)
}

/** SHA-256 of a value as JSON, whatever the order of its keys. */
export const canonicalHash = (value: unknown): string =>
  bytesToHex(sha256(utf8ToBytes(JSON.stringify(value, sortKeys))))

const handlerShape = (handler: Handler<unknown> | undefined): string | undefined =>
  typeof handler === 'string' ? handler : handler?.hash

/** Makes the JSON independent of the order in which keys were written. */
const sortKeys = (_key: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) : value
