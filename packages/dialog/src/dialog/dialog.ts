import {
  type AudioPart,
  type ChatMessage,
  type Content,
  type FilePart,
  type ImagePart,
  LlmError,
  toImagePart,
} from '@modelport/core'
import { definePrompt } from '../prompt/define-prompt.js'
import type { ArgsParameter, TemplateValues } from '../prompt/placeholders.js'
import type { AnyPrompt, BasePrompt, Prompt } from '../prompt/prompt.js'
import type { PromptRegistry } from '../prompt/registry.js'
import { addNode, type DialogNode, isSameMessage, nodesOf, type PromptTurn } from './dialog-node.js'
import { toOverview } from './overview.js'
import {
  type RestoreOptions,
  readStoredDialog,
  type StoredDialog,
  toStoredDialog,
} from './stored-dialog.js'

/** What a user turn has besides its text. */
export interface Attachments {
  /** Bytes in a data URI, an http(s) address, or a part that is made already. */
  readonly images?: readonly (string | ImagePart)[]
  /** Documents. */
  readonly files?: readonly FilePart[]
  /** Sound. */
  readonly audio?: readonly AudioPart[]
}

/** The parameters of {@link Dialog.send} after the prompt: its arguments, then attachments. */
export type SendParameters<Args> =
  ArgsParameter<Args> extends [args: Args]
    ? [args: Args, attachments?: Attachments]
    : [args?: Args, attachments?: Attachments]

/** The prompt of turns that are opened with a text. */
const plainPrompt = definePrompt({ path: 'modelport/text', text: '{text}' })

/**
 * An append-only conversation that knows which prompt opened its last turn. Dialogs never change:
 * `send` and `append` give a new one, and all of them share their past. `Value` is what a call of
 * this dialog gives.
 */
export class Dialog<Value = unknown> {
  /** The last message with its past; undefined in an empty dialog. */
  readonly node: DialogNode | undefined
  /**
   * The prompt that opened the last turn with the values it was filled with; undefined before the
   * first turn.
   */
  readonly top: PromptTurn | undefined
  #messages: readonly ChatMessage[] | undefined

  private constructor(node: DialogNode | undefined, top: PromptTurn | undefined) {
    this.node = node
    this.top = top
  }

  /** Starts a dialog, with instructions or without. */
  static seed(system?: string): Dialog<never>
  static seed<Args>(system: Prompt<Args>, ...args: ArgsParameter<Args>): Dialog<never>
  static seed(system?: AnyPrompt | string, args: unknown = {}): Dialog<never> {
    if (system === undefined) return new Dialog<never>(undefined, undefined)
    if (typeof system === 'object') return Dialog.open(system, args)
    return new Dialog<never>(addNode(undefined, { role: 'system', content: system }), undefined)
  }

  /**
   * Starts a dialog with the instructions of any prompt; its arguments are only checked at run
   * time.
   */
  static open(system: AnyPrompt, args: unknown): Dialog<never> {
    const filled = system.fill(args)
    const turn: PromptTurn = { prompt: system, args: filled.args }
    return new Dialog<never>(
      addNode(undefined, { role: 'system', content: filled.text }, turn),
      undefined,
    )
  }

  /**
   * Reads a stored dialog. It has the general type of a dialog: `expect` gives it the type of a
   * prompt.
   * @throws {LlmError} `invalid-request` — the form is wrong, a prompt is not registered, or its
   * wording has changed; the message has the JSON pointer, what was found and what to do.
   */
  static fromJson(stored: unknown, registry: PromptRegistry, options: RestoreOptions = {}): Dialog {
    const { node, top } = readStoredDialog(stored, registry, plainPrompt, options)
    return new Dialog(node, top)
  }

  /** A dialog over a node and the turn that it belongs to. */
  static of<Value>(node: DialogNode | undefined, top: PromptTurn | undefined): Dialog<Value> {
    return new Dialog<Value>(node, top)
  }

  /**
   * Opens a turn: a user message with the text of a prompt, or with a text as it stands.
   * @throws {LlmError} `invalid-request` — a placeholder is missing, unknown or of a wrong type;
   * the last reply has tool calls without a result.
   */
  send(text: string, attachments?: Attachments): Dialog<string>
  send<Args, NewValue>(
    prompt: Prompt<Args, NewValue>,
    ...args: SendParameters<Args>
  ): Dialog<NewValue>
  send(prompt: AnyPrompt | string, ...rest: readonly unknown[]): Dialog {
    const [args, attachments] =
      typeof prompt === 'string' ? [{ text: prompt }, rest[0]] : [rest[0] ?? {}, rest[1]]
    const opener: AnyPrompt = typeof prompt === 'string' ? plainPrompt : prompt
    const filled = opener.fill(args)
    const turn: PromptTurn = { prompt: opener, args: filled.args }
    const content = toContent(filled.text, attachments as Attachments | undefined)
    return new Dialog(addNode(this.node, { role: 'user', content }, turn), turn)
  }

  /** Adds messages as they are. The turn stays that of the last prompt. */
  append(...messages: readonly ChatMessage[]): Dialog<Value> {
    let { node } = this
    for (const message of messages) node = addNode(node, message)
    return new Dialog<Value>(node, this.top)
  }

  /**
   * The dialog with the transcript of its run, which begins after the instructions. Messages that
   * are still there keep their prompts. The calls of an agent do this themselves; use it with the
   * result of a durable store.
   */
  follow(transcript: readonly ChatMessage[]): Dialog<Value> {
    const nodes = nodesOf(this.node)
    const first = nodes.findIndex(({ message }) => message.role !== 'system')
    const own = first < 0 ? [] : nodes.slice(first)
    const parting = own.findIndex(
      ({ message }, index) => !isSameMessage(message, transcript[index]),
    )
    if (parting < 0) return this.append(...transcript.slice(own.length))
    const known = new Map<ChatMessage, DialogNode>(own.map((node) => [node.message, node]))
    const end = transcript.reduce<DialogNode | undefined>((node, message, index) => {
      const same = index < parting ? own[index] : known.get(message)
      return addNode(node, same?.message ?? message, same?.turn)
    }, own[0]?.parent)
    return new Dialog<Value>(end, this.top)
  }

  /** Another dialog with the same past. Costs the same whatever the length. */
  fork(): Dialog<Value> {
    return new Dialog<Value>(this.node, this.top)
  }

  /** How many messages there are. */
  get length(): number {
    return this.node?.length ?? 0
  }

  /** All messages, in order. */
  get messages(): readonly ChatMessage[] {
    this.#messages ??= Object.freeze(nodesOf(this.node).map(({ message }) => message))
    return this.#messages
  }

  /** The last message. */
  get tail(): ChatMessage | undefined {
    return this.node?.message
  }

  /** The prompt that opened the last turn; undefined before the first. */
  get topPrompt(): AnyPrompt | undefined {
    return this.top?.prompt
  }

  /** The values that the last turn's prompt was filled with. */
  get topArgs(): TemplateValues | undefined {
    return this.top?.args
  }

  /** A table of the messages for people: number, role, prompt and the beginning of the text. */
  overview(): string {
    return toOverview(nodesOf(this.node))
  }

  /** The dialog as plain JSON, ready to be stored. */
  toJson(): StoredDialog {
    return toStoredDialog(this)
  }

  /**
   * Gives the dialog the type of a prompt's value.
   * @throws {LlmError} `invalid-request` — another prompt opened the last turn.
   */
  expect<NewValue>(prompt: BasePrompt<NewValue>): Dialog<NewValue> {
    const top = this.topPrompt
    if (top?.path === prompt.path && top.hash === prompt.hash)
      return new Dialog<NewValue>(this.node, { prompt, args: this.top?.args ?? {} })
    const found =
      top === undefined
        ? 'no prompt'
        : top.path === prompt.path
          ? `another wording of "${top.path}"`
          : `"${top.path}"`
    throw new LlmError(
      'invalid-request',
      `the dialog's last turn was expected to be of prompt "${prompt.path}"; ${found} opened it`,
    )
  }
}

function toContent(
  text: string,
  { images = [], files = [], audio = [] }: Attachments = {},
): Content {
  if (!images.length && !files.length && !audio.length) return text
  const imageParts = images.map((image) => (typeof image === 'string' ? toImagePart(image) : image))
  return [{ type: 'text', text }, ...imageParts, ...audio, ...files]
}
