import {
  type CallOptions,
  type ChatMessage,
  defaultMaxTokens,
  headerSecrets,
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
import { referenceTemperature, toDefaultOptions } from '../config/config.js'
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
 * Starts a call: its deadline runs from here.
 * @param layers options of the call; a later layer wins over an earlier one
 * @param partial returns what has arrived, for the deadline's error
 */
export function startCall<Kind extends AnyDriver>(
  state: ProviderState<Kind>,
  messages: readonly ChatMessage[],
  layers: readonly CallOptions[],
  stream: boolean,
  partial?: () => PartialReply | undefined,
): StartedCall<Kind> {
  for (const layer of layers) checkCallOptions(state.driver.name, layer)
  const { selfHosted, defaults } = state.config
  const ownLimit: CallOptions = selfHosted ? { maxTokens: defaultMaxTokens } : {}
  const options = mergeOptions(ownLimit, toDefaultOptions(defaults), ...layers)
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
  // The exchange sends the caller's headers: a driver would put them into the body.
  const { headers: _, ...vendor } = values.vendor ?? {}
  const wantsReference = defaults === 'reference' && options.temperature === undefined

  const turn = (history: readonly ChatMessage[], tools: readonly ToolDefinition[]): Turn => {
    checkTools(tools)
    for (const name of ['vendor', 'responseFormat', 'providerTools'] as const)
      checkDepth(name, values[name])

    const plain: Turn = {
      model: state.config.model,
      messages: normalizeHistory(history, values.system),
      tools,
      options: { ...values, vendor },
      stream: stream || state.driver.streamsWhole?.(values) === true,
    }

    if (!wantsReference || state.driver.takesTemperature?.(plain) === false) return plain
    return { ...plain, options: { ...plain.options, temperature: referenceTemperature } }
  }
  return { context, values, turn }
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
