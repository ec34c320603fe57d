import { LlmError } from '@modelport/core'
import { canonicalJson } from '../base/canonical-json.js'
import { toWellFormed } from '../base/well-formed.js'

/** Details of a reply that is not an action. */
export type ActionParseDetails = Pick<ActionParseError, 'feedback' | 'rawResponse'> &
  Partial<Pick<ActionParseError, 'parsedData' | 'actionType'>>

/** A reply that is not an action. The message explains why, in at most 2000 characters. */
export class ActionParseError extends LlmError {
  readonly feedback: string
  readonly rawResponse: string
  /** The reply parsed as JSON; null if it is not JSON. */
  readonly parsedData: unknown
  /** The `type` it claims. */
  readonly actionType: string | undefined

  constructor({ feedback, rawResponse, parsedData = null, actionType }: ActionParseDetails) {
    const parsed =
      parsedData === null ? '' : `\nParsed data: ${clipMiddle(canonicalJson(parsedData), 500)}`
    super('protocol', `${clipMiddle(feedback, 700)}${parsed}\n${describeRaw(rawResponse)}`)
    this.feedback = clipMiddle(feedback, 700)
    this.rawResponse = rawResponse
    this.parsedData = parsedData
    this.actionType = actionType
  }
}
Object.defineProperty(ActionParseError.prototype, 'name', { value: 'ActionParseError' })

/** Replaces the middle of a text that is too long by an ellipsis. */
const clipMiddle = (text: string, most: number): string => {
  if (text.length <= most) return text
  const half = Math.floor((most - 5) / 2)
  return toWellFormed(`${text.slice(0, half)} ... ${text.slice(-half)}`)
}

function describeRaw(text: string): string {
  if (text === '') return 'Raw response: <empty>'
  if (text.length <= 700) return `Raw response: ${text}`
  return `Raw response (truncated; ${text.length} characters): ${clipMiddle(text, 650)}`
}
