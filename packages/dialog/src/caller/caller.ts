import { configError, isLlmError, isProvider, LlmError, validateOptions } from '@modelport/core'
import { checkSettings, optionNames } from '@modelport/core/settings'
import { shown } from '../base/shown.js'
import { AgentCall } from '../call/agent-call.js'
import { type CallReader, EventQueue } from '../call/call-reader.js'
import { watchEngine } from '../call/engine-call.js'
import { toCallLimits } from '../call/limits.js'
import type { CallSuccess } from '../call/outcome.js'
import { type AgentCallOptions, type CallerSettings, callerSettingNames } from '../call/settings.js'
import type { Classification, ClassifyOptions } from '../classify/classification.js'
import { classify } from '../classify/classify.js'
import { Dialog } from '../dialog/dialog.js'
import type { AnyPrompt } from '../prompt/prompt.js'

/** An agent: it opens dialogs and calls them. */
export interface DialogCaller {
  /** Name of the agent. */
  readonly name: string
  /** The settings of the agent. */
  readonly settings: CallerSettings
  /**
   * Starts a dialog with the agent's instructions.
   * @param args of the system prompt
   */
  open(args?: Readonly<Record<string, unknown>>): Dialog<never>
  /**
   * Runs the state machine over a dialog until the prompt of its last turn has its value.
   * @throws {AgentCallError} the call ended in `failure`; the error has the dialog, the trace, the
   * state and the cause.
   */
  call<Value>(dialog: Dialog<Value>, options?: AgentCallOptions): Promise<CallSuccess<Value>>
  /**
   * The same with its events to be read, deltas and partial values included. Nothing starts before
   * the first read or `result()`; `close()` aborts the call.
   */
  run<Value>(dialog: Dialog<Value>, options?: AgentCallOptions): CallReader<Value>
  /**
   * Which of these labels fits a dialog, with probabilities.
   * @throws {ClassificationError} too little of the probability fell on the labels, a label is not
   * one token, or the server reports no probabilities.
   * @throws {LlmError} `config`, `unsupported` — there are fewer than two labels, or more than the
   * API can report: see `topLogprobs`.
   * @throws {AgentCallError} a call failed.
   */
  classify<const Label extends string>(
    dialog: Dialog,
    labels: readonly Label[],
    options?: ClassifyOptions,
  ): Promise<Classification<Label>>
  /** The probability that the reply is `True` rather than `False`. Throws as `classify` does. */
  binaryClassify(dialog: Dialog, options?: ClassifyOptions): Promise<number>
}

/**
 * Makes an agent of a provider.
 * @throws {LlmError} `config` — the name is empty, the provider is not one, or a limit or an option
 * is out of its range.
 * @example
 * ```ts
 * import { createDialogCaller, definePrompt, json } from '@modelport/dialog'
 * import { createMock } from '@modelport/provider-mock'
 * import { z } from 'zod'
 *
 * const weather = definePrompt({ path: 'weather', text: 'How warm is {city}?', parse: json(z.object({ degrees: z.number() })) })
 * const reporter = createDialogCaller({ name: 'reporter', provider: createMock({ responses: ['{"degrees": 28}'] }) })
 * const { value } = await reporter.call(reporter.open().send(weather, { city: 'Rome' }))
 * console.log(value.degrees)
 * ```
 *
 * ```text
 * 28
 * ```
 */
export function createDialogCaller(settings: CallerSettings): DialogCaller {
  const { name, system } = settings
  checkSettings('createDialogCaller', settings, callerSettingNames, { options: optionNames.call })
  if (settings.options)
    checkSettings('createDialogCaller: options', settings.options, optionNames.call)
  checkCaller(settings)
  const call: DialogCaller['call'] = async (dialog, options = {}) => {
    checkDialog(dialog)
    const watch = options.durable && watchEngine(settings, options, options.durable)
    const outcome = await new AgentCall(settings, dialog, watch?.options ?? options).run()
    const thrown = watch?.thrown()
    if (thrown) throw thrown.error
    if (outcome.status === 'failure') throw outcome.error
    return outcome
  }
  return {
    name,
    settings,
    open: (args = {}) => openDialog(system, args),
    call,
    classify: async (dialog, labels, options = {}) => {
      checkDialog(dialog)
      return classify(settings, call, dialog, labels, options)
    },
    binaryClassify: async (dialog, options = {}) => {
      checkDialog(dialog)
      return (await classify(settings, call, dialog, ['True', 'False'], options)).probabilities.True
    },
    run: (dialog, options = {}) => {
      checkDialog(dialog)
      if (options.durable)
        throw configError('durable: an engine runs call; watch it with onRunEvent')
      return new EventQueue((consumer, closing) => {
        const signal = options.signal ? AbortSignal.any([options.signal, closing]) : closing
        return new AgentCall(settings, dialog, { ...options, signal }, consumer).run()
      })
    },
  }
}

/** Refuses a text where a dialog is expected: not everybody has a compiler. */
function checkDialog(dialog: unknown): void {
  if (!(dialog instanceof Dialog))
    throw configError(
      `dialog must be a Dialog, such as Dialog.seed().send('Hello'), not ${shown(dialog)}`,
    )
}

function checkCaller({ name, provider, system, limits, options }: CallerSettings): void {
  if (typeof name !== 'string' || !name)
    throw configError(`an agent needs a name, not ${shown(name)}`)
  const refuse = (problem: string): never => {
    throw configError(`agent "${name}": ${problem}`)
  }
  if (!isProvider(provider))
    refuse('provider must be a Provider, which the creator of a provider package returns')
  if (
    system !== undefined &&
    typeof system !== 'string' &&
    typeof (system as Partial<AnyPrompt>).fill !== 'function'
  )
    refuse(`system must be a text or a prompt, not ${shown(system)}`)
  try {
    toCallLimits(limits)
    validateOptions(options ?? {})
  } catch (error) {
    if (!isLlmError(error)) throw error
    refuse(error.message)
  }
}

function openDialog(
  system: CallerSettings['system'],
  args: Readonly<Record<string, unknown>>,
): Dialog<never> {
  if (typeof system === 'object') return Dialog.open(system, args)
  if (Object.keys(args).length)
    throw new LlmError(
      'invalid-request',
      `open takes no arguments: the agent's instructions are not a prompt`,
    )
  return system === undefined ? Dialog.seed() : Dialog.seed(system)
}
