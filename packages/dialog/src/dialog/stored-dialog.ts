import { type ChatMessage, LlmError } from '@modelport/core'
import { isTemplateValue } from '../prompt/template.js'
import type { TemplateValues } from '../prompt/placeholders.js'
import type { AnyPrompt } from '../prompt/prompt.js'
import { isRecord } from '../parse/is-record.js'
import { addNode, type DialogNode, nodesOf, type Turn } from './dialog-node.js'
import { checkMessage } from './check-message.js'

/** The prompt of a stored message. */
export interface StoredTurn {
  /** Place of the message that the prompt wrote; the first is 0. Unset: the message is not in the dialog any more. */
  readonly at?: number
  /** Path of the prompt. */
  readonly path: string
  /** Content hash of the prompt when it was stored. */
  readonly hash: string
  /** The values that the text was filled with. */
  readonly args: TemplateValues
}

/** A dialog as plain JSON. */
export interface StoredDialog {
  /** Of the form, not of the package. */
  readonly version: 1
  /** The messages, in order. */
  readonly messages: readonly ChatMessage[]
  /** The prompts that wrote some of them. */
  readonly prompts: readonly StoredTurn[]
  /** The prompt that opened the last turn, by its place in `prompts`. Unset: no turn was opened. */
  readonly top?: number
}

/** How a stored dialog is read. */
export interface RestoreOptions {
  /** True accepts prompts whose wording has changed since. Default false. */
  readonly acceptChangedPrompts?: boolean
}

/** The last message of a dialog with its past, and the turn it belongs to. */
export interface DialogEnd {
  readonly node: DialogNode | undefined
  readonly top: Turn | undefined
}

/** A dialog as plain JSON, ready to be stored. */
export function toStoredDialog(dialog: DialogEnd): StoredDialog {
  const nodes = nodesOf(dialog.node)
  const prompts: StoredTurn[] = nodes.flatMap(({ turn }, at) => (turn ? [{ at, ...toStored(turn) }] : []))
  let top = dialog.top && nodes.findLastIndex(({ turn }) => turn === dialog.top)
  if (dialog.top && top !== undefined) {
    const found = prompts.findIndex(({ at }) => at === top)
    top = found < 0 ? prompts.push(toStored(dialog.top)) - 1 : found
  }
  return { version: 1, messages: nodes.map(({ message }) => message), prompts, ...(top !== undefined && { top }) }
}

const toStored = ({ prompt, args }: Turn): StoredTurn => ({ path: prompt.path, hash: prompt.hash, args })

/** Where prompts are found: a registry. */
interface Prompts {
  has(path: string): boolean
  get(path: string): AnyPrompt
}

/**
 * Reads a stored dialog.
 * @param plain the prompt of turns that were opened with a text
 * @throws {LlmError} `invalid-request` — see `Dialog.fromJson`.
 */
export function readStoredDialog(
  stored: unknown,
  registry: Prompts,
  plain: AnyPrompt,
  options: RestoreOptions,
): DialogEnd {
  const form = checkForm(stored)
  const find = (path: string): AnyPrompt | undefined =>
    registry.has(path) ? registry.get(path) : path === plain.path ? plain : undefined
  const turns = form.prompts.map((one, index) => toTurn(one, `/prompts/${index}`, find, options))
  const byPlace = new Map(form.prompts.map(({ at }, index) => [at, turns[index]]))
  let node: DialogNode | undefined
  for (const [at, message] of form.messages.entries()) node = addNode(node, message, byPlace.get(at))
  return { node, top: form.top === undefined ? undefined : turns[form.top] }
}

const refuse = (pointer: string, problem: string): never => {
  throw new LlmError('invalid-request', `stored dialog, ${pointer || 'the whole'}: ${problem}`)
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) as string | undefined
  return text === undefined ? 'nothing' : text.length > 60 ? `${text.slice(0, 57)}...` : text
}

function checkForm(stored: unknown): StoredDialog {
  if (!isRecord(stored)) return refuse('', `expected an object, found ${shown(stored)}`)
  const { version, messages, prompts, top } = stored
  if (version !== 1) refuse('/version', `expected 1, found ${shown(version)}; update the package to read newer forms`)
  if (!Array.isArray(messages)) return refuse('/messages', `expected a list, found ${shown(messages)}`)
  if (!Array.isArray(prompts)) return refuse('/prompts', `expected a list, found ${shown(prompts)}`)
  messages.forEach((message: unknown, index) => {
    const problem = checkMessage(message)
    if (problem) refuse(`/messages/${index}${problem.pointer}`, problem.message)
  })
  prompts.forEach((one: unknown, index) => checkTurn(one, `/prompts/${index}`, messages.length))
  if (top !== undefined && !(Number.isInteger(top) && Number(top) >= 0 && Number(top) < prompts.length))
    refuse('/top', `expected a place in prompts, found ${shown(top)}`)
  // Every field was checked.
  return { version, messages, prompts, ...(top !== undefined && { top: Number(top) }) } as StoredDialog
}

function checkTurn(turn: unknown, pointer: string, length: number): void {
  if (!isRecord(turn)) return refuse(pointer, `expected an object, found ${shown(turn)}`)
  const { at, path, hash, args } = turn
  if (at !== undefined && !(Number.isInteger(at) && Number(at) >= 0 && Number(at) < length))
    refuse(`${pointer}/at`, `expected the place of a message, found ${shown(at)}`)
  if (typeof path !== 'string') refuse(`${pointer}/path`, `expected a text, found ${shown(path)}`)
  if (typeof hash !== 'string') refuse(`${pointer}/hash`, `expected a text, found ${shown(hash)}`)
  if (!isRecord(args) || !Object.values(args).every(isTemplateValue))
    refuse(`${pointer}/args`, `expected texts, numbers and booleans by name, found ${shown(args)}`)
}

function toTurn(
  { path, hash, args }: StoredTurn,
  pointer: string,
  find: (path: string) => AnyPrompt | undefined,
  { acceptChangedPrompts = false }: RestoreOptions,
): Turn {
  const prompt = find(path) ?? refuse(`${pointer}/path`, `no prompt "${path}" is registered; register it`)
  if (prompt.hash !== hash && !acceptChangedPrompts)
    refuse(
      `${pointer}/hash`,
      `the prompt "${path}" has changed since (${prompt.hash.slice(0, 12)} instead of ${hash.slice(0, 12)}); set acceptChangedPrompts to use the new one`,
    )
  return { prompt, args }
}
