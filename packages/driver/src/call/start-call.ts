import {
  type CallOptions,
  type ChatMessage,
  defaultOptions,
  headerSecrets,
  isLlmError,
  mergeOptions,
  type OptionValues,
  type PartialReply,
  type ToolDefinition,
  validateOptions,
  withoutNulls,
} from '@modelport/core'
import { checkSettings, optionNames } from '@modelport/core/settings'
import type { Turn } from '../base/driver.js'
import { checkDepth } from '../base/json-depth.js'
import { toDefaultOptions } from '../config/config.js'
import { checkTools } from '../turn/check-fields.js'
import { normalizeHistory, toolCallIds } from '../turn/history.js'
import { type CallContext, createCallContext } from './call-context.js'
import type { AnyDriver, ProviderState } from './provider-state.js'
import { sanitizeError } from './sanitize.js'

/** A call whose options are merged and checked; nothing is sent yet. */
export interface StartedCall<Kind extends AnyDriver> {
  readonly context: CallContext<Kind>
  readonly values: OptionValues
  /** The checked turn for these messages and tools. */
  readonly turn: (messages: readonly ChatMessage[], tools: readonly ToolDefinition[]) => Turn
}

/**
 * Starts a call: its deadline runs from here. `partial` returns what has arrived, for the
 * deadline's error.
 */
export function startCall<Kind extends AnyDriver>(
  state: ProviderState<Kind>,
  messages: readonly ChatMessage[],
  given: readonly CallOptions[],
  stream: boolean,
  partial?: () => PartialReply | undefined,
): StartedCall<Kind> {
  for (const one of given) checkCallOptions(state.driver.name, one)
  const options = mergeOptions(toDefaultOptions(state.config.defaults), ...given)
  try {
    validateOptions(options)
  } catch (error) {
    throw sanitizeError(
      error,
      state.driver.name,
      state.redactWith(headerSecrets(options.vendor?.['headers'])),
    )
  }
  const values = withoutNulls(options)
  const context = createCallContext(state, values, toolCallIds(messages), partial)
  const { headers: _, ...vendor } = values.vendor ?? {}
  const turn = (history: readonly ChatMessage[], tools: readonly ToolDefinition[]): Turn => {
    checkTools(tools)
    for (const name of ['vendor', 'responseFormat', 'providerTools'] as const)
      checkDepth(name, values[name])
    const given: Turn = {
      model: state.config.model,
      messages: normalizeHistory(history, values.system),
      tools,
      options: {
        ...values,
        vendor,
        ...(options.maxTokens === undefined && { maxTokens: defaultOptions.maxTokens }),
      },
      stream: stream || state.driver.streamsWhole?.(values) === true,
    }
    const isDefault = options.temperature === undefined && state.sendsTemperature
    if (!isDefault || state.driver.takesDefaultTemperature?.(given) === false) return given
    return { ...given, options: { ...given.options, temperature: defaultOptions.temperature } }
  }
  return { context, values, turn }
}

/**
 * Leaves the default temperature out from now on, if a server refused a turn for it; false for any
 * other error.
 */
export function dropTemperature(
  state: ProviderState,
  values: OptionValues,
  refused: Turn,
  error: unknown,
): boolean {
  const isRefusal = isLlmError(error, 'invalid-request') || isLlmError(error, 'unsupported')
  const isDefault = values.temperature === undefined && refused.options.temperature !== undefined
  if (!isDefault || !isRefusal || !('status' in error) || !/temperature/i.test(error.message))
    return false
  state.sendsTemperature = false
  return true
}

const nested = { retry: optionNames.retry }

/**
 * Refuses options that nothing reads.
 * @throws {TypeError} names the option, and what was probably meant.
 */
export function checkCallOptions(name: string, options: CallOptions | null | undefined): void {
  if (!options) return
  checkSettings(`${name}: options of the call`, options, optionNames.call, nested)
  if (options.retry) checkSettings(`${name}: retry`, options.retry, optionNames.retry)
}
