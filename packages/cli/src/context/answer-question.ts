import { isLlmError, isObject, type JsonObject } from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import { type Answer, checkAnswer, type PendingQuestion } from '@modelport/runtime'
import { toVisible } from '../terminal/visible-text.js'
import type { Cli } from './cli.js'
import { isYes } from './is-yes.js'
import type { LineReader } from './line-reader.js'

type Question = PendingQuestion['question']

/**
 * Asks the person at the terminal for the answer to a question of a tool, until it fits. An address
 * is shown, and opened by nobody here.
 */
export async function answerQuestion(
  { err }: Cli,
  lines: LineReader,
  question: Question,
): Promise<Answer> {
  const { message, schema, url, from } = question
  err.line(
    `${err.style('yellow', `${toVisible(from ?? 'a tool')} asks:`)} ${message.split('\n').map(toVisible).join('\n')}`,
  )
  if (url !== undefined) err.line(`open ${toVisible(url)}`)
  for (;;) {
    const said = await lines.answer(
      schema ? 'answer? [y/N] ' : url === undefined ? 'yes? [y/N] ' : 'opened and done? [y/N] ',
    )
    if (said === undefined) return { action: 'cancel' }
    if (!isYes(said)) return { action: 'decline' }
    try {
      return checkAnswer(question, {
        action: 'accept',
        ...(schema && { content: await fill(lines, schema) }),
      })
    } catch (error) {
      if (!isLlmError(error, 'invalid-request')) throw error
      err.line(err.foreign(error.message))
    }
  }
}

/** Asks for each field of a form; a blank line leaves one out. */
async function fill(
  lines: LineReader,
  { properties = {}, required = [] }: JsonObject,
): Promise<JsonObject> {
  const content: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(properties as JsonObject)) {
    if (!isObject(field)) continue
    const { title = name, description, type, ...rest } = field
    const choices = rest['enum'] ?? (isObject(rest['items']) ? rest['items']['enum'] : undefined)
    const facts = [
      type,
      description,
      choices && JSON.stringify(choices),
      (required as unknown[]).includes(name) && 'required',
    ]
    const shown = `${String(title)} (${facts.filter(Boolean).map(String).join('; ')}): `
    const said = (await lines.answer(toVisible(shown)))?.trim()
    if (said) content[name] = type === 'string' ? said : toValue(said)
  }
  return content
}

/** A number, a list or yes and no; what is not JSON stays a text, and is refused with its place. */
function toValue(said: string): unknown {
  if (/^(y|yes)$/i.test(said)) return true
  if (/^(n|no)$/i.test(said)) return false
  const value = tryParseJson(said)
  return value === undefined ? said : value
}
