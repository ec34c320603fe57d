import {
  type CallOptions,
  describeProvider,
  isLlmError,
  isObject,
  type JsonObject,
  type Provider,
  type ToolDefinition,
} from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import { newProvider } from '@modelport/factory'
import { asksForTools } from '../models/server-facts.js'
import { shorten } from '../terminal/shorten.js'
import type { CheckState, Outcome } from './check-state.js'

/** Characters of a reply that a report shows. */
const longestDetail = 60

/** Enough for models that think before they answer. */
const maxTokens = 1024
const tool: ToolDefinition = {
  name: 'add_numbers',
  description: 'Adds two numbers',
  parameters: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
}
const schema: JsonObject = {
  type: 'object',
  properties: { ok: { type: 'boolean' } },
  required: ['ok'],
  additionalProperties: false,
}

const providerOf = ({ model, cli }: CheckState): Promise<Provider> =>
  newProvider({ ...model.config, fallback: undefined }, cli.context)
const optionsOf = (signal: AbortSignal, timeoutMs: number): CallOptions => ({
  maxTokens,
  signal,
  deadlineMs: timeoutMs,
  retry: { attempts: 1 },
})

/** A reply arrives in pieces, and ends. */
export async function checkStream(
  state: CheckState,
  _signal: AbortSignal,
  timeoutMs: number,
): Promise<Outcome> {
  const provider = await providerOf(state)
  const startedAt = performance.now()
  const reader = await provider.stream('Respond with OK', optionsOf(state.cli.signal, timeoutMs))
  let first: number | undefined
  for await (const _text of reader) first ??= performance.now() - startedAt
  const usage = reader.usage()
  const tokens = usage.reported ? `${usage.outputTokens} tokens` : 'tokens not reported'
  const begin = first === undefined ? 'no text' : `first text after ${Math.round(first)} ms`
  return first === undefined
    ? {
        status: 'warning',
        detail: `${begin}, ${tokens}, ended with ${reader.finishReason() ?? 'no reason'}`,
        fix: 'The model said nothing in so few tokens: try "modelport complete".',
      }
    : { detail: `${begin}, ${tokens}` }
}

/**
 * The model calls a tool, with arguments that parse. Facts that the profile lacks are suggested as
 * the line to add.
 */
export async function checkTools(
  state: CheckState,
  _signal: AbortSignal,
  timeoutMs: number,
): Promise<Outcome> {
  const { model, cli } = state
  if (model.profile?.supportsTools === false) return checkDeniedTools(state)
  try {
    const provider = await providerOf(state)
    const { toolCalls, finishReason } = await provider.generate(
      [{ role: 'user', content: 'Call the tool add_numbers with a = 2 and b = 3.' }],
      {
        ...optionsOf(cli.signal, timeoutMs),
        tools: [tool],
        toolChoice: 'required',
      },
    )
    const [call] = toolCalls
    if (!call)
      return await noTools(state, `it was not called; the reply ended with ${finishReason}`)
    if (call.error !== undefined)
      return await noTools(state, `its arguments do not parse: ${call.error}`)
    const isOpen = describeProvider(provider).capabilities?.tools.supported === 'by-model'
    const detail = `${call.name}(${shorten(JSON.stringify(call.arguments), longestDetail)})`
    return {
      detail,
      ...(isOpen && model.profile?.supportsTools === undefined && { note: lineFor(state, true) }),
    }
  } catch (error) {
    const { detail } = toWarning(error, '')
    return noTools(state, detail)
  }
}

/** The line of the configuration that states the result. */
const lineFor = ({ model }: CheckState, supports: boolean): string =>
  `add to the model ${model.name}: "profile: {supports_tools: ${supports}}"`

async function noTools(state: CheckState, detail: string): Promise<Outcome> {
  const { name, profile } = state.model
  const wantsJinja = detail.includes('--jinja')
  if (!wantsJinja && (await asksForTools(state.model.config, state.cli)))
    return {
      status: 'warning',
      detail,
      fix: 'Its server says that it calls tools: try again, or use another model.',
    }
  const denied = name.includes(':')
    ? 'give it an entry in the configuration with "profile: {supports_tools: false}"'
    : profile?.supportsTools === undefined
      ? lineFor(state, false)
      : `write "supports_tools: false" in the profile of ${name}`
  const told = wantsJinja ? ' With --jinja, llama-server would take them.' : ''
  return {
    status: 'warning',
    detail,
    fix: `Use another model for tools, or ${denied}: tools are then asked for as JSON.${told}`,
  }
}

async function checkDeniedTools(state: CheckState): Promise<Outcome> {
  const detail = 'the profile says it has none'
  if ((await asksForTools(state.model.config, state.cli)) !== true)
    return { status: 'skipped', detail }
  return {
    status: 'warning',
    detail: `${detail}, and its server says that it calls them`,
    fix: `Take "supports_tools: false" out of the profile of ${state.model.name}.`,
  }
}

/** The reply fits a schema. */
export async function checkSchema(
  state: CheckState,
  _signal: AbortSignal,
  timeoutMs: number,
): Promise<Outcome> {
  if (state.model.profile?.supportsJsonSchema === false)
    return { status: 'skipped', detail: 'the profile says it cannot' }
  const fix =
    'Check replies yourself, or use another model where they must fit; supports_json_schema: false in its profile says so.'
  try {
    const provider = await providerOf(state)
    const { text } = await provider.generate(
      [{ role: 'user', content: 'Answer with the JSON object {"ok": true}.' }],
      {
        ...optionsOf(state.cli.signal, timeoutMs),
        responseFormat: { type: 'json-schema', name: 'health', schema },
      },
    )
    return fits(text)
      ? { detail: 'the reply fits' }
      : {
          status: 'warning',
          detail: `the reply does not fit: ${JSON.stringify(shorten(text, longestDetail))}`,
          fix,
        }
  } catch (error) {
    return toWarning(error, fix)
  }
}

/** Turns a missing capability of the model or its API into a warning: the connection works. */
function toWarning(error: unknown, fix: string): Outcome {
  if (isLlmError(error) && ['unsupported', 'invalid-request', 'config'].includes(error.code))
    return { status: 'warning', detail: error.message, fix }
  throw error
}

function fits(text: string): boolean {
  const value = tryParseJson(text)
  return isObject(value) && typeof value['ok'] === 'boolean'
}
