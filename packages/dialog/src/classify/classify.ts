import {
  type CallOptions,
  configError,
  describeProvider,
  isLlmError,
  LlmError,
} from '@modelport/core'
import type { CallDialog } from '../call/outcome.js'
import type { CallerSettings } from '../call/settings.js'
import type { Dialog } from '../dialog/dialog.js'
import { choice } from '../parse/choice.js'
import { byLogprobs, NoLogprobsError } from './by-logprobs.js'
import { byVotes, toGrammarFields } from './by-votes.js'
import type { Classification, ClassifyMethod, ClassifyOptions } from './classification.js'

/** What one model can be asked for a class, and how. */
interface Plan {
  /** The methods, the best one first. */
  readonly methods: readonly ClassifyMethod[]
  /** The fields of the request that hold a reply to the labels, if the provider has such fields. */
  readonly grammar: CallOptions['vendor']
  /** Smallest `maxTokens` that the model takes. */
  readonly fewestTokens: number
  /** True if nobody set a temperature: it is left out if the model refuses ours. */
  readonly mayLeaveOutTemperature: boolean
  /** True if the model may be asked not to reason. */
  readonly mayAskNotToReason: boolean
  /** True if it is asked with the first request, as models that are known to reason are. */
  readonly asksNotToReasonFirst: boolean
}

/** One request, or several of one method. */
interface Attempt {
  /** Its method's place in the plan. */
  readonly index: number
  /** False once the model refused one. */
  readonly withTemperature: boolean
  /**
   * Whether the model is asked not to reason. `unless-seen`: not yet, since nothing shows that it
   * reasons.
   */
  readonly asksNotToReason: 'yes' | 'no' | 'unless-seen'
}

/**
 * Classifies a dialog; see `DialogCaller.classify`.
 * @throws {LlmError} `config` — the labels or an option are wrong.
 */
export async function classify<Label extends string>(
  settings: CallerSettings,
  call: CallDialog,
  dialog: Dialog,
  labels: readonly Label[],
  options: ClassifyOptions,
): Promise<Classification<Label>> {
  checkLabels(labels)
  const plan = toPlan(settings, labels, options)

  const run = (attempt: Attempt): Promise<Classification<Label>> => {
    const method = methodOf(plan, attempt)
    const sampling = toSampling(method, attempt)
    if (method === 'logprobs') {
      const { fewestTokens } = plan
      return byLogprobs(call, dialog, labels, options, { fewestTokens, sampling })
    }
    return byVotes(call, dialog, labels, options, {
      method,
      sampling,
      ...(method === 'grammar' && plan.grammar && { vendor: plan.grammar }),
    })
  }

  let attempt: Attempt = {
    index: 0,
    withTemperature: true,
    asksNotToReason: plan.asksNotToReasonFirst ? 'yes' : 'unless-seen',
  }
  for (;;) {
    try {
      return await run(attempt)
    } catch (error) {
      const next = nextAttempt(plan, attempt, error)
      if (!next) throw error
      attempt = next
    }
  }
}

function toPlan(
  settings: CallerSettings,
  labels: readonly string[],
  options: ClassifyOptions,
): Plan {
  const known = describeProvider(settings.provider).capabilities
  const capabilities = settings.capabilities ?? known
  const grammar = toGrammarFields(labels, capabilities)
  if (options.method === 'grammar' && !grammar)
    throw new LlmError(
      'unsupported',
      `${settings.provider.name} is not known to hold a reply to a grammar; use the method "schema" or "votes"`,
    )

  const methods: ClassifyMethod[] = []
  if (options.method) methods.push(options.method)
  else {
    if (capabilities?.logprobs.supported !== false) methods.push('logprobs')
    if (grammar) methods.push('grammar')
    if (capabilities?.schema.supported !== false) methods.push('schema')
    methods.push('votes')
  }

  const reasons = capabilities?.reasoning.supported
  const mayAskNotToReason = reasons !== false && !isSet(settings, options, 'reasoning')
  return {
    methods,
    grammar,
    fewestTokens: known?.fewestTokens ?? 1,
    mayLeaveOutTemperature: !isSet(settings, options, 'temperature'),
    mayAskNotToReason,
    asksNotToReasonFirst: mayAskNotToReason && (reasons === true || options.method === 'grammar'),
  }
}

const methodOf = ({ methods }: Plan, { index }: Attempt): ClassifyMethod =>
  methods[index] ?? 'votes'

/** The options of an attempt. Reasoning would use up the one token, or fill the grammar. */
function toSampling(method: ClassifyMethod, attempt: Attempt): CallOptions {
  const isShort = method === 'logprobs' || method === 'grammar'
  return {
    ...(!attempt.withTemperature && { temperature: null }),
    ...(isShort && attempt.asksNotToReason === 'yes' && { reasoning: 'none' }),
  }
}

/** The attempt after one that failed: it changes one thing. Undefined if nothing is left. */
function nextAttempt(plan: Plan, attempt: Attempt, error: unknown): Attempt | undefined {
  const { index, withTemperature, asksNotToReason } = attempt

  if (withTemperature && plan.mayLeaveOutTemperature && isTemperatureRefusal(error))
    return { ...attempt, withTemperature: false }

  if (asksNotToReason === 'yes' && plan.asksNotToReasonFirst && isThinkingRefusal(error))
    return { ...attempt, asksNotToReason: 'no' }

  if (asksNotToReason === 'unless-seen' && plan.mayAskNotToReason && showsThinking(error))
    return { ...attempt, asksNotToReason: 'yes' }

  if (isMethodRefusal(error) && index < plan.methods.length - 1)
    return { ...attempt, index: index + 1 }

  return undefined
}

/**
 * True if the server, or the provider before it, does not take the request of a method: the next
 * one asks otherwise.
 */
const isMethodRefusal = (error: unknown): boolean =>
  isLlmError(error, 'unsupported') ||
  isLlmError(error, 'invalid-request') ||
  error instanceof NoLogprobsError

/** True for models that choose their temperature themselves. */
const isTemperatureRefusal = (error: unknown): boolean =>
  isMethodRefusal(error) && /temperature/i.test((error as Error).message)

/** True for models whose reasoning cannot be switched off. */
const isThinkingRefusal = (error: unknown): boolean =>
  isMethodRefusal(error) &&
  !(error instanceof NoLogprobsError) &&
  /reason|think|effort/i.test((error as Error).message)

/** True for a reply that ended before its text, and for a refusal because the model reasons. */
const showsThinking = (error: unknown): boolean =>
  isMethodRefusal(error) && /reasoning|think/i.test((error as Error).message)

/** True for an option that the application set. */
const isSet = (
  settings: CallerSettings,
  { options }: ClassifyOptions,
  name: keyof CallOptions,
): boolean => (options?.[name] ?? settings.options?.[name]) !== undefined

function checkLabels(labels: readonly string[]): void {
  if (labels.length < 2) throw configError('classify: give at least two labels')
  choice(labels)
}
