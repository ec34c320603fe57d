import type { TemplateValues } from './placeholders.js'
import type { AnyPrompt, TurnHandler } from './prompt.js'
import { fillTemplate, parseTemplate, type Template } from './template.js'

/** The texts of handlers that nobody set. */
export const defaultHandlers: {
  readonly onParseError: string
  readonly onToolResults: string
  readonly lastCall: string
} = Object.freeze({
  onParseError: 'Error: {error_message}. Please fix.',
  onToolResults: '{call_results}',
  lastCall: 'You are reaching the limit of tool calls. Provide the final response.',
})

/** The handlers of a prompt, and the value that each one fills in. */
export const handlerNames = {
  onParseError: 'error_message',
  onToolResults: 'call_results',
  lastCall: undefined,
} as const

/** The name of a handler. */
export type HandlerName = keyof typeof handlerNames

/** The text of a handler with its own value and the arguments of the prompt it belongs to. */
export function fillHandler(
  owner: AnyPrompt,
  name: HandlerName,
  handler: TurnHandler<unknown>,
  values: TemplateValues,
  args: TemplateValues,
): string {
  if (typeof handler !== 'string') return handler.fill({}, { ...args, ...values }).text
  const where = `prompt "${owner.path}", ${name}`
  return fillTemplate(templateOf(owner, handler, where), {}, where, { ...args, ...values })
}

/** Templates by their prompt and text: a call fills the same ones again and again. */
const templates = new WeakMap<AnyPrompt, Map<string, Template>>()

function templateOf(owner: AnyPrompt, text: string, where: string): Template {
  const known = templates.get(owner) ?? new Map<string, Template>()
  templates.set(owner, known)
  const template = known.get(text) ?? parseTemplate(text, where)
  known.set(text, template)
  return template
}

/**
 * Describes the placeholders of a handler that nothing fills, and the value that it never shows.
 * @returns problems, each a sentence; empty when the handler works
 */
export function checkHandler(
  owner: AnyPrompt,
  name: HandlerName,
  handler: TurnHandler<unknown>,
): readonly string[] {
  const own = handlerNames[name]
  const known = [...owner.placeholders, ...(own === undefined ? [] : [own])]
  const placeholders =
    typeof handler === 'string'
      ? parseTemplate(handler, `prompt "${owner.path}", ${name}`).names
      : handler.placeholders
  const unknown = placeholders.filter((one) => !known.includes(one))
  const filled = known.map((one) => `{${one}}`).join(', ') || 'none'
  return [
    ...unknown.map(
      (one) => `prompt "${owner.path}", ${name}: nothing fills {${one}}; it can use ${filled}`,
    ),
    ...(own !== undefined && !placeholders.includes(own)
      ? [
          `prompt "${owner.path}", ${name}: it does not show {${own}}; the model would not know what happened`,
        ]
      : []),
  ]
}
