import {
  type CallOptions,
  type ChatMessage,
  defaultOptions,
      stream,
    }
    const isDefault = options.temperature === undefined && state.sendsTemperature
    if (!isDefault || state.driver.takesDefaultTemperature?.(given) === false) return given
    return { ...given, options: { ...given.options, temperature: defaultOptions.temperature } }
  }
  return { context, values, turn }
}

/** Leaves the default temperature out from now on, if a server refused a turn for it; false for any other error. */
export function dropTemperature(state: ProviderState, values: OptionValues, refused: Turn, error: unknown): boolean {
  const isRefusal = isLlmError(error, 'invalid-request') || isLlmError(error, 'unsupported')
  const isDefault = values.temperature === undefined && refused.options.temperature !== undefined
  if (!isDefault || !isRefusal || !('status' in error) || !/temperature/i.test(error.message)) return false
  state.sendsTemperature = false
  return true
}

const nested = { retry: optionNames.retry }

/** Refuses options that nothing reads. @throws {TypeError} names the option, and what was probably meant. */
export function checkCallOptions(name: string, options: CallOptions | null | undefined): void {
  if (!options) return
  checkSettings(`${name}: options of the call`, options, optionNames.call, nested)
  if (options.retry) checkSettings(`${name}: retry`, options.retry, optionNames.retry)
}
