import { isObject, type JsonObject, LlmError, textOf } from '@modelport/core'
import { isPromiseLike } from '../../base/is-promise-like.js'
import type { ActionMode } from '../../reply/action-mode.js'
import { expectedOutput, expectedReply, toOutputFeedback } from '../../reply/corrections.js'
import { findJsonObject } from '../../reply/json-object.js'
import type { FinalReply } from '../request/output-parser.js'
import type { Uses } from '../state/run-state.js'
import { modeOf } from '../state/run-view.js'

/** Whether a final reply has the requested form. */
export type CheckedOutput =
  | { readonly ok: true; readonly output?: unknown }
  | {
      readonly ok: false
      /** The problem, for the event. */
      readonly message: string
      /** The problem, for the model. */
      readonly feedback: string
      /** The whole text for the model, in place of one made of the feedback. */
      readonly correction?: string
    }

/**
 * Makes a value of a final reply: with the parser of the request, or its schema.
 * @throws what the parser throws.
 */
export async function checkOutput(
  state: Uses<'request' | 'models' | 'tools' | 'meter'>,
  reply: FinalReply,
): Promise<CheckedOutput> {
  const { request } = state
  if (request.output) return parseOutput(state, request.output.parse(withoutNulls(state, reply)))
  if (!request.outputCheck) return { ok: true }
  // The strict form makes optional properties nullable; a null that the caller's schema does not
  // allow means "left out".
  const withoutAddedNulls = (value: JsonObject): JsonObject =>
    request.strictOutput ? (request.strictOutput.dropAddedNulls(value) as JsonObject) : value
  const found = findJsonObject(textOf(reply.content))
  const checked = found.ok
    ? await state.meter.wait(request.outputCheck.validate(withoutAddedNulls(found.value)))
    : found
  if (checked.ok) return { ok: true, output: checked.value }
  return { ok: false, message: checked.message, feedback: toOutputFeedback(checked.message) }
}

/** The reply without the nulls that only the strict form of the schema allows. */
function withoutNulls(state: Uses<'request' | 'models' | 'tools'>, reply: FinalReply): FinalReply {
  const { strictOutput } = state.request
  if (!strictOutput || modeOf(state) !== 'native') return reply
  const found = findJsonObject(reply.text)
  if (!found.ok) return reply
  const text = JSON.stringify(strictOutput.dropAddedNulls(found.value))
  return text === JSON.stringify(found.value) ? reply : { ...reply, text }
}

async function parseOutput(state: Uses<'meter'>, given: unknown): Promise<CheckedOutput> {
  const parsed = isPromiseLike(given) ? await state.meter.wait(given) : given
  if (isObject(parsed) && parsed['ok'] === true) return { ok: true, output: parsed['value'] }
  if (!isObject(parsed) || parsed['ok'] !== false)
    throw new LlmError(
      'config',
      'output.parse returned neither { ok: true, value } nor { ok: false, issues }',
    )
  const { issues, correction } = parsed
  const message = (Array.isArray(issues) ? issues : [issues]).map(String).join('\n')
  return {
    ok: false,
    message,
    feedback: message,
    ...(typeof correction === 'string' && { correction }),
  }
}

/**
 * True where the next call offers no tools and has the server hold the model to the schema: two
 * final replies in a row did not fit it. Next to tools, a format is sent only where the vendor is
 * known to take both: some servers call no tool then.
 */
export const mustAnswer = (state: Uses<'request' | 'models' | 'tools' | 'guards'>): boolean =>
  hasSchema(state) &&
  modeOf(state) === 'native' &&
  state.models.capabilities?.schema.withTools !== true &&
  state.guards.parseFailures.count > 1

/** What a correction tells the model about the form of its reply, by mode. */
export function expectedForms(
  state: Parameters<typeof mustAnswer>[0],
): Readonly<Record<ActionMode, string>> {
  if (!hasSchema(state)) return expectedReply
  return mustAnswer(state) ? { ...expectedOutput, native: onlyAnswer } : expectedOutput
}

const onlyAnswer = 'Give the whole answer again, as JSON that fits the schema.'

/** True if the model was told that its final reply has to be JSON of a schema. */
const hasSchema = ({ request }: Uses<'request'>): boolean =>
  request.outputCheck !== undefined || request.output?.schema !== undefined
