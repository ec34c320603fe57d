import { type ChatMessage, isObject, LlmError } from '@modelport/core'
import { suggest } from '@modelport/core/settings'
import { shown } from '../base/shown.js'
import type { TemplateValues } from '../prompt/placeholders.js'
import type { AnyPrompt } from '../prompt/prompt.js'
import type { PromptRegistry } from '../prompt/registry.js'
import { isTemplateValue } from '../prompt/template.js'
import { checkMessage, expected, type StoredProblem } from './check-message.js'
import { addNode, type DialogNode, nodesOf, type PromptTurn } from './dialog-node.js'

/** The prompt of a stored message. */
export interface StoredTurn {
  /**
   * Place of the message that the prompt wrote; the first is 0. Unset: the message is not in the
   * dialog any more.
   */
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
  /** Version of the form, not of the package. */
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
  readonly acceptChangedPrompts?: boolean | undefined
  /** Names the dialog in errors, for example by its file. Default: `stored dialog`. */
  readonly source?: string | undefined
}

/** The last message of a dialog with its past, and the turn it belongs to. */
export interface DialogEnd {
  readonly node: DialogNode | undefined
  readonly top: PromptTurn | undefined
}

/** A dialog as plain JSON, ready to be stored. */
export function toStoredDialog(dialog: DialogEnd): StoredDialog {
  const nodes = nodesOf(dialog.node)
  const prompts: StoredTurn[] = nodes.flatMap(({ turn }, at) =>
    turn ? [{ at, ...toStored(turn) }] : [],
  )
  let top = dialog.top && nodes.findLastIndex(({ turn }) => turn === dialog.top)
  if (dialog.top && top !== undefined) {
    const found = prompts.findIndex(({ at }) => at === top)
    top = found < 0 ? prompts.push(toStored(dialog.top)) - 1 : found
  }
  return {
    version: 1,
    messages: nodes.map(({ message }) => message),
    prompts,
    ...(top !== undefined && { top }),
  }
}

const toStored = ({ prompt, args }: PromptTurn): StoredTurn => ({
  path: prompt.path,
  hash: prompt.hash,
  args,
})

/**
 * Reads a stored dialog.
 * @param plain the prompt of turns that were opened with a text
 * @throws {LlmError} `invalid-request` — see `Dialog.fromJson`.
 */
export function readStoredDialog(
  stored: unknown,
  registry: PromptRegistry,
  plain: AnyPrompt,
  options: RestoreOptions,
): DialogEnd {
  const refuse = refuseAs(options.source ?? 'stored dialog')
  const form = checkForm(stored, refuse)
  const turns = form.prompts.map((one, index) =>
    toTurn(one, `/prompts/${index}`, registry, plain, options, refuse),
  )
  const byPlace = new Map(form.prompts.map(({ at }, index) => [at, turns[index]]))
  let node: DialogNode | undefined
  for (const [at, message] of form.messages.entries())
    node = addNode(node, message, byPlace.get(at))
  return { node, top: form.top === undefined ? undefined : turns[form.top] }
}

/** Reports a problem of a stored dialog, with its place. */
type Refuse = (pointer: string, problem: string) => never

const refuseAs =
  (source: string): Refuse =>
  (pointer, problem) => {
    throw new LlmError('invalid-request', `${source}, ${pointer || 'the whole'}: ${problem}`)
  }

/** The advice for a form that `toJson` never writes. */
const repair = 'correct it, or store the dialog again with toJson'

function checkForm(stored: unknown, refuse: Refuse): StoredDialog {
  const report = ({ pointer, message }: StoredProblem, place = ''): never =>
    refuse(`${place}${pointer}`, `${message}; ${repair}`)
  if (!isObject(stored)) {
    const hint = typeof stored === 'string' ? 'read it with JSON.parse first' : repair
    return refuse('', `expected an object, found ${shown(stored)}; ${hint}`)
  }
  const { version, messages, prompts, top } = stored
  if (version !== 1)
    refuse(
      '/version',
      `expected 1, found ${shown(version)}; a newer form needs a newer version of @modelport/dialog`,
    )
  if (!Array.isArray(messages)) return report(expected('/messages', 'a list', messages))
  if (!Array.isArray(prompts)) return report(expected('/prompts', 'a list', prompts))
  messages.forEach((message: unknown, index) => {
    const problem = checkMessage(message)
    if (problem) report(problem, `/messages/${index}`)
  })
  prompts.forEach((one: unknown, index) => {
    const problem = checkTurn(one, messages.length)
    if (problem) report(problem, `/prompts/${index}`)
  })
  if (top !== undefined && !isPlace(top, prompts.length))
    report(expected('/top', placeIn('prompts', prompts.length), top))
  return { version: 1, messages, prompts, ...(top !== undefined && { top: Number(top) }) }
}

const isPlace = (value: unknown, length: number): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) < length

const placeIn = (name: string, length: number): string =>
  length ? `a place in ${name}, 0 to ${length - 1}` : `no place, as ${name} is empty`

function checkTurn(turn: unknown, length: number): StoredProblem | undefined {
  if (!isObject(turn)) return expected('', 'an object', turn)
  const { at, path, hash, args } = turn
  if (at !== undefined && !isPlace(at, length))
    return expected('/at', placeIn('messages', length), at)
  if (typeof path !== 'string') return expected('/path', 'a text', path)
  if (typeof hash !== 'string') return expected('/hash', 'a text', hash)
  if (!isObject(args)) return expected('/args', 'texts, numbers and booleans by name', args)
  const wrong = Object.entries(args).find(([, value]) => !isTemplateValue(value))
  return wrong && expected(`/args/${wrong[0]}`, 'a text, a number or a boolean', wrong[1])
}

function toTurn(
  { path, hash, args }: StoredTurn,
  pointer: string,
  prompts: PromptRegistry,
  plain: AnyPrompt,
  { acceptChangedPrompts = false }: RestoreOptions,
  refuse: Refuse,
): PromptTurn {
  const prompt = prompts.has(path) ? prompts.get(path) : path === plain.path ? plain : undefined
  if (!prompt) {
    const known = prompts.list().map((one) => one.path)
    return refuse(
      `${pointer}/path`,
      `no prompt "${path}" is registered; register it${suggest(path, known)}`,
    )
  }
  if (prompt.hash !== hash && !acceptChangedPrompts)
    refuse(
      `${pointer}/hash`,
      `the prompt "${path}" has changed since (expected ${prompt.hash.slice(0, 12)}, found ${hash.slice(0, 12)}); set acceptChangedPrompts to use the new one`,
    )
  return { prompt, args }
}
