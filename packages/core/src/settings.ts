import { nearest } from './suggest.js'
import { isObject } from './unknown-values.js'

export { checkPlatform } from './check-platform.js'
export { checkPrices } from './check-prices.js'
export { checkRanges, fillLimits, type LimitRange } from './limits.js'
export { isLoopback } from './loopback.js'
export type { OptionForm } from './number-forms.js'
export { optionForms } from './option-forms.js'
export { namesOf, optionNames } from './option-names.js'
export { nearest, suggest } from './suggest.js'

/**
 * What other libraries call a setting, and what is meant here: the first that the settings have.
 */
const aliases: Readonly<Record<string, readonly string[]>> = {
  abortSignal: ['signal'],
  activeTools: ['prepareStep'],
  apiBase: ['baseUrl'],
  args: ['arguments'],
  callbacks: ['onEvent'],
  contextId: ['sessionId'],
  defaultHeaders: ['headers'],
  endpoint: ['baseUrl'],
  frequencyPenalty: ['vendor'],
  frequency_penalty: ['vendor'],
  func: ['execute'],
  host: ['baseUrl'],
  input: ['query'],
  inputSchema: ['parameters'],
  instructions: ['system'],
  llm: ['provider'],
  maxIterations: ['maxSteps'],
  maxOutputTokens: ['maxTokens'],
  maxRetries: ['retry.attempts'],
  maxTurns: ['maxSteps'],
  mcpServers: ['sources'],
  memory: ['history'],
  model: ['provider'],
  modelId: ['model'],
  modelName: ['model'],
  onFinish: ['onEvent'],
  onStepFinish: ['onEvent'],
  outputType: ['outputSchema'],
  presencePenalty: ['vendor'],
  presence_penalty: ['vendor'],
  prompt: ['query', 'messages', 'system'],
  providerOptions: ['vendor'],
  query: ['prompt'],
  reasoning_effort: ['reasoning'],
  recursionLimit: ['maxSteps'],
  replies: ['responses'],
  run: ['execute'],
  schema: ['parameters', 'outputSchema'],
  stopSequences: ['stop'],
  systemPrompt: ['system'],
  thinking: ['reasoning'],
  timeout: ['timeouts', 'timeoutMs', 'maxRuntimeMs', 'deadlineMs'],
  token: ['auth'],
  user: ['vendor'],
}

/**
 * Refuses settings that nothing reads: not everybody has a compiler. `nested` has the names that
 * belong into a field of the settings, by that field, so that the message can say where a setting
 * goes that stands a level too high. Values that are undefined pass.
 * @throws {TypeError} a setting is not known; names it, and the one that was probably meant; or
 * `given` is not an object
 * @example
 * ```ts
 * import { checkSettings } from '@modelport/core/settings'
 *
 * checkSettings('createStore', { file: 'runs.sqlite' }, ['file', 'leaseMs']) // { leasems: 1 } throws: did you mean "leaseMs"?
 * ```
 */
export function checkSettings(
  where: string,
  given: object,
  known: readonly string[],
  nested: Readonly<Record<string, readonly string[]>> = {},
): void {
  if (!isObject(given))
    throw new TypeError(`${where}: the settings must be an object, not ${JSON.stringify(given)}`)
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || known.includes(name)) continue
    const all = [...known, ...Object.values(nested).flat()]
    const replacements = Object.hasOwn(aliases, name) ? aliases[name] : undefined
    const near = replacements?.find((path) => all.includes(headOf(path))) ?? nearest(name, all)
    const field =
      near !== undefined &&
      !known.includes(headOf(near)) &&
      Object.entries(nested).find(([, names]) => names.includes(headOf(near)))?.[0]
    const hint = field
      ? `; set ${field}.${near}`
      : near === undefined
        ? ''
        : `; did you mean "${near}"?`
    throw new TypeError(
      `${where}: unknown setting "${name}"${hint || `; known: ${known.join(', ')}`}`,
    )
  }
}

/** The setting in which a path begins. */
const headOf = (path: string): string => path.split('.', 1)[0] ?? path
