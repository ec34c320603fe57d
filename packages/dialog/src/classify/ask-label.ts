import { textOf } from '@modelport/core'
import { Dialog } from '../dialog/dialog.js'
import type { Parser } from '../parse/parser.js'
import { definePrompt } from '../prompt/define-prompt.js'
import type { ClassifyOptions } from './classification.js'

const defaultQuestion = 'Please respond with one and only one word from {classes}'

/**
 * The dialog with the question. A user turn that is still open gets the question at its end:
 * servers want roles to alternate.
 */
export function askLabel<Value>(
  dialog: Dialog,
  labels: readonly string[],
  shown: readonly string[],
  { question = defaultQuestion }: ClassifyOptions,
  parse: Parser<Value>,
): Dialog<Value> {
  const isLettered = shown.some((one, index) => one !== labels[index])
  const list = isLettered
    ? shown.map((one, index) => `${one} = ${labels[index] ?? ''}`).join('\n')
    : ''
  const prompt = definePrompt<string, Value>({
    path: 'modelport/classify',
    text: [question, ...(list ? ['{list}'] : [])].join('\n'),
    parse,
    onParseError: defaultQuestion,
  })
  const classes = shown.join(', ')
  const values = {
    ...(prompt.placeholders.includes('classes') && { classes }),
    ...(list && { list }),
  }
  const last = dialog.node
  if (last?.message.role !== 'user') return dialog.send(prompt, values)
  const { content } = last.message
  const asked = prompt.render(values)
  const merged =
    typeof content === 'string'
      ? `${content}\n\n${asked}`
      : [...content, { type: 'text' as const, text: asked }]
  const turn = { prompt, args: { ...values, classes } }
  const before = Dialog.of<Value>(last.parent, turn)
  return textOf(content) || typeof content !== 'string'
    ? before.append({ ...last.message, content: merged })
    : dialog.send(prompt, values)
}
