import type { JsonObject } from '@modelport/core'
import type { LlamaModel, Token } from 'node-llama-cpp'
import type { ChatTemplate } from './chat-template.js'
import type { TemplateMessage } from './messages.js'
import type { LlamaRequest } from './request.js'

/** A prompt, ready to be evaluated. */
export interface Prompt {
  readonly tokens: Token[]
  /** True if the reply continues inside the thinking. */
  readonly startsThinking: boolean
}

/**
 * The prompt of a request. Text of messages that looks like one of the model's control tokens, for
 * example `<|im_end|>`, stays text: nobody who writes a message can end it and speak as someone
 * else.
 */
export function toPrompt(model: LlamaModel, template: ChatTemplate, request: LlamaRequest): Prompt {
  const guard = new TextGuard(model)
  const messages = request.messages.map((message) => guard.message(message))
  const { tools, variables } = request
  const text =
    template.render({ messages, tools, variables, generate: true }) +
    thinkingEnd(template, request, messages)
  const { thinking } = template
  const { bos, bosString, shouldPrependBosToken } = model.tokens
  const prepend =
    shouldPrependBosToken && bos !== null && !(bosString && text.startsWith(bosString))
  return {
    tokens: [...(prepend ? [bos] : []), ...guard.tokenize(text)],
    startsThinking: thinking !== undefined && text.trimEnd().endsWith(thinking.open),
  }
}

/**
 * What ends the thinking before it begins, where it is not wanted and the template does not see to
 * it.
 */
function thinkingEnd(
  template: ChatTemplate,
  { thinking, tools, variables }: LlamaRequest,
  messages: readonly TemplateMessage[],
): string {
  const marks = template.thinking
  if (thinking || !marks) return ''
  const open = template
    .render({ messages, tools, variables, generate: true })
    .trimEnd()
    .endsWith(marks.open)
  if (open) return `\n${marks.close}\n\n`
  return template.switchesThinking ? '' : `${marks.open}\n\n${marks.close}\n\n`
}

/** Puts stand-ins where text has control tokens, and takes them out again token by token. */
class TextGuard {
  readonly #model: LlamaModel
  readonly #texts: string[] = []

  constructor(model: LlamaModel) {
    this.#model = model
  }

  message(message: TemplateMessage): TemplateMessage {
    const { content, reasoning_content: reasoning, tool_calls: calls } = message
    return {
      ...message,
      content: this.#guarded(content),
      ...(reasoning !== undefined && { reasoning_content: this.#guarded(reasoning) }),
      ...(calls && {
        tool_calls: calls.map((call) => ({
          ...call,
          function: {
            ...call.function,
            arguments: this.#value(call.function.arguments) as JsonObject,
          },
        })),
      }),
    }
  }

  tokenize(text: string): Token[] {
    // Every second part is the number of a stand-in.
    return text
      .split(/\uE000(\d+)\uE001/)
      .flatMap((part, index) =>
        index % 2
          ? this.#model.tokenize(this.#texts[Number(part)] ?? '', false)
          : this.#model.tokenize(part, true),
      )
  }

  #value(value: unknown): unknown {
    if (typeof value === 'string') return this.#guarded(value, JSON.stringify(value).slice(1, -1))
    if (Array.isArray(value)) return value.map((item) => this.#value(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#value(item)]))
  }

  #guarded(text: string, written = text): string {
    const harmless =
      !/[\uE000\uE001]/.test(text) &&
      this.#model.tokenize(text, true).every((token) => !this.#model.isSpecialToken(token))
    return harmless ? text : `\uE000${this.#texts.push(written) - 1}\uE001`
  }
}
