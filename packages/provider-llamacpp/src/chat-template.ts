import type { Template } from '@huggingface/jinja'
import { type JsonObject, LlmError } from '@modelport/core'
import { errorText } from '@modelport/core/text'
import { type CallFormat, findCallFormat } from './call-format.js'
import { name, type TemplateInput, type TemplateMessage } from './messages.js'

/** How a model marks its thinking. */
export interface ThinkingMarks {
  readonly open: string
  readonly close: string
}

/**
 * Marks of thinking in use, by the templates of models (read 2026-11-21). The first whose end a
 * template names counts.
 */
const thinkingMarks: readonly ThinkingMarks[] = [
  { open: '<think>', close: '</think>' },
  { open: '<thinking>', close: '</thinking>' },
  { open: '[THINK]', close: '[/THINK]' },
  { open: '<seed:think>', close: '</seed:think>' },
]

/** A model's chat template: writes prompts, and shows how the model writes calls and thinking. */
export class ChatTemplate {
  /**
   * How the model writes tool calls; undefined when the template does not say it in a form that is
   * known.
   */
  readonly calls: CallFormat | undefined
  readonly thinking: ThinkingMarks | undefined
  /** True when the template itself can switch the thinking. */
  readonly switchesThinking: boolean
  /** Where system messages may stand. */
  readonly system: 'anywhere' | 'first' | 'none'
  readonly #template: Template
  readonly #constants: JsonObject

  /** `constants` are the texts of the model's own tokens. */
  constructor(
    template: Template,
    source: string,
    constants: JsonObject,
    vocabulary: (mark: string) => boolean,
  ) {
    this.#template = template
    this.#constants = constants
    this.thinking =
      thinkingMarks.find(({ close }) => source.includes(close)) ??
      thinkingMarks.find(({ open, close }) => vocabulary(open) && vocabulary(close))
    this.switchesThinking = /\b(enable_thinking|thinking)\b/.test(
      source.replace(/<\/?thinking>/g, ''),
    )
    this.calls = findCallFormat((input) => this.#attempt(input))
    this.system = this.#findSystem()
  }

  /**
   * The prompt.
   * @throws {LlmError} `unsupported` — the template refuses the conversation.
   */
  render({ messages, tools = [], variables, generate }: TemplateInput): string {
    const input = {
      ...this.#constants,
      ...variables,
      messages: this.#place(messages),
      ...(tools.length && { tools }),
      add_generation_prompt: generate,
    }
    try {
      return this.#template.render(input)
    } catch (cause) {
      const why = errorText(cause)
      throw new LlmError(
        'unsupported',
        `${name}: the model's chat template refuses this conversation: ${why}`,
        {
          cause,
        },
      )
    }
  }

  /** System messages where the template shows them: it would leave out others without a word. */
  #place(messages: readonly TemplateMessage[]): readonly TemplateMessage[] {
    if (this.system === 'anywhere') return messages
    const text = messages
      .filter(({ role }) => role === 'system')
      .map(({ content }) => content)
      .join('\n\n')
    const others = messages.filter(({ role }) => role !== 'system')
    if (!text) return others
    if (this.system === 'first') return [{ role: 'system', content: text }, ...others]
    const at = others.findIndex(({ role }) => role === 'user')
    if (at < 0) return [{ role: 'user', content: text }, ...others]
    return others.map((message, index) =>
      index === at ? { ...message, content: `${text}\n\n${message.content}` } : message,
    )
  }

  #findSystem(): 'anywhere' | 'first' | 'none' {
    const system = (content: string): TemplateMessage => ({ role: 'system', content })
    const user: TemplateMessage = { role: 'user', content: 'zquser' }
    const shows = (messages: readonly TemplateMessage[], ...texts: readonly string[]): boolean => {
      const text = this.#attempt({ messages, generate: true })
      return text !== undefined && texts.every((one) => text.includes(one))
    }
    const answer: TemplateMessage = { role: 'assistant', content: 'zqanswer' }
    if (shows([system('zqone'), user, answer, system('zqtwo'), user], 'zqone', 'zqtwo'))
      return 'anywhere'
    return shows([system('zqone'), user], 'zqone') ? 'first' : 'none'
  }

  /** Like `render`, without moving messages; undefined when the template refuses. */
  #attempt({ messages, tools, generate }: TemplateInput): string | undefined {
    try {
      return this.#template.render({
        ...this.#constants,
        messages,
        ...(tools && { tools }),
        add_generation_prompt: generate,
      })
    } catch {
      return undefined
    }
  }
}
