import { isObject } from '@modelport/core'
import { GrowingObject, isWorthReading } from '../../output/growing-object.js'
import type { Uses } from '../state/run-state.js'
import { modeOf } from '../state/run-view.js'

/**
 * Takes each delta of one reply and returns the value so far; undefined if there is nothing new to
 * show.
 */
type ReadPartial = (delta: string) => unknown

/**
 * Reads the output of a reply while its text arrives. Returns undefined if the request asks for
 * none.
 */
export function partialOutput(
  state: Uses<'request' | 'models' | 'tools' | 'turn'>,
): ReadPartial | undefined {
  const { request } = state
  const mode = modeOf(state)
  if (request.output) {
    const { output: parser } = request
    if (!parser.partial || mode === 'json') return undefined
    let shownLength = 0
    return () => {
      const { text } = state.turn
      if (!isWorthReading(text.length, shownLength)) return undefined
      shownLength = text.length
      return parsePartial(() => parser.partial?.(text))
    }
  }
  if (!request.outputCheck) return undefined
  const growing = new GrowingObject()
  const { properties } = request.outputCheck.schema
  return (delta) => {
    const value = growing.push(delta)
    const found = mode === 'json' ? contentOf(value) : value
    if (!found || !isOutput(found, properties)) return undefined
    return request.strictOutput ? request.strictOutput.dropAddedNulls(found) : found
  }
}

/** The content of a final action, if it is an object. */
function contentOf(
  action: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> | undefined {
  const { type, content } = action ?? {}
  return type === 'final' && isObject(content) ? content : undefined
}

/** False for a call that the model printed: it has no property of the schema. */
const isOutput = (value: Readonly<Record<string, unknown>>, properties: unknown): boolean =>
  !isObject(properties) || Object.keys(value).some((name) => Object.hasOwn(properties, name))

/** Calls the application's parser; an error means that there is no value yet. */
function parsePartial(parse: () => unknown): unknown {
  try {
    return parse()
  } catch {
    return undefined
  }
}
