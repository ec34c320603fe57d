import {
  type CallOptions,
  type Capabilities,
  describeProvider,
  mergeOptions,
} from '@modelport/core'
import {
  type InferRequest,
  messagesTokens,
  type RunEvent,
  type RunEventSink,
  type RunPreset,
} from '@modelport/runtime'
import { checkCard, type ModelCard } from '../card/model-card.js'
import type { Dialog } from '../dialog/dialog.js'
import { toProviderTools } from '../vendor/provider-tools.js'
import type { DialogParts } from './continue-dialog.js'
import type { JournaledOptions } from './journaled-options.js'
import type { CallLimits } from './limits.js'
import type { EventConsumer } from './outcome.js'
import type { Recalls } from './recall.js'
import type { CallerSettings } from './settings.js'
import type { TurnPlan } from './turn-plan.js'

/** The input for the request of a run. */
export interface RunParts {
  readonly settings: CallerSettings
  readonly options: JournaledOptions
  readonly dialog: Dialog
  readonly parts: DialogParts
  readonly plan: TurnPlan
  readonly limits: CallLimits
  readonly recalls: Recalls
  readonly signal: AbortSignal
  readonly callId: string
  readonly consumer: EventConsumer | undefined
  readonly onEvent: (event: RunEvent) => void
}

/**
 * The request of the run behind a call.
 * @throws {LlmError} `unsupported`, `invalid-request` — the vendor does not have a tool, or the
 * model's card does not allow the call.
 */
export function toInferRequest(run: RunParts): InferRequest {
  const { settings, options: call, parts, plan, consumer } = run
  const card = cardOf(settings)
  const capabilities = settings.capabilities ?? describeProvider(settings.provider).capabilities
  const options = modelOptions(run, card, capabilities)
  if (card) checkParts(card, options, run)
  const budget = call.budget ?? settings.budget
  const { authorize } = plan
  const { agents, compaction, mode, policyVersion } = settings
  const { journal, resume, decisions, repeatFailed, scope, sink } = call
  const hasSink = consumer !== undefined || sink !== undefined
  // Without tools the model has nothing to choose between: the reply is its text.
  const canCall = plan.hasTools || (agents?.length ?? 0) > 0
  return {
    messages: parts.messages,
    system: parts.system,
    tools: plan.tools,
    sources: plan.sources,
    limits: {
      ...runLimits(run.limits),
      preset: new CallPreset(plan),
      profile: card,
      capabilities,
      budget,
      compaction,
    },
    // A format that the application set is the one that is asked for.
    output:
      options.responseFormat === undefined ? { ...plan.output, schema: plan.schema } : plan.output,
    afterTools: plan.afterTools,
    options,
    signal: run.signal,
    durable: {
      runId: resume?.runId ?? run.callId,
      policyVersion,
      engine: call.engine,
      journal: journal && run.recalls.journal(journal),
      resume,
      decisions,
      repeatFailed,
      scope,
    },
    observe: {
      agentName: settings.name,
      onEvent: run.onEvent,
      deltas: hasSink || call.onRunEvent !== undefined,
      sink: hasSink ? toSink(consumer, sink) : undefined,
    },
    authorize,
    agents,
    mode: canCall ? mode : 'native',
  }
}

/**
 * Texts of the run behind a call. Filling in the one for a refused reply costs more than the rest
 * of the request: it is done when it is read.
 */
class CallPreset implements RunPreset {
  readonly forgetParseFailures = true
  readonly repeatText = repeatText
  readonly #plan: TurnPlan

  constructor(plan: TurnPlan) {
    this.#plan = plan
  }

  get parseFailureText(): string {
    return this.#plan.parseFailureText
  }

  /** A journal knows a preset by its JSON: a changed text must be part of it. */
  toJSON(): RunPreset {
    const { forgetParseFailures, parseFailureText } = this
    return { forgetParseFailures, repeatText: this.repeatText, parseFailureText }
  }
}

/** Stores each event, and waits for the reader of the call. */
const toSink = (
  consumer: EventConsumer | undefined,
  sink: RunEventSink | undefined,
): RunEventSink => ({
  write: (event) => {
    const stored = sink?.write(event)
    const drained = consumer?.drained()
    return stored && drained
      ? Promise.all([stored, drained]).then(() => undefined)
      : (stored ?? drained)
  },
})

/** The profile of the model: from the settings, else from the provider. */
export const cardOf = ({ card, provider }: CallerSettings): ModelCard | undefined =>
  card ?? describeProvider(provider).profile

function modelOptions(
  { settings, options, dialog }: RunParts,
  card: ModelCard | undefined,
  capabilities: Capabilities | undefined,
): CallOptions {
  const prompt = dialog.topPrompt
  const merged = mergeOptions(settings.options, prompt?.options, options.options)
  const vendorTools = prompt?.providerTools ?? []
  if (!vendorTools.length) return merged
  const forms = toProviderTools(vendorTools, settings.provider.name, capabilities, card?.features)
  return forms.length
    ? { ...merged, providerTools: [...(merged.providerTools ?? []), ...forms] }
    : merged
}

function checkParts(
  card: ModelCard,
  options: CallOptions,
  { settings: { provider }, parts }: RunParts,
): void {
  const { system = '', messages } = parts
  const estimate = (one: string): number => provider.estimateTokens(one)
  // An estimate of a long dialog costs time: it is made only if a window is known.
  const inputTokens =
    card.contextWindow === undefined ? 0 : messagesTokens(messages, estimate) + estimate(system)
  const kinds = messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.map(({ type }) => type),
  )
  checkCard(card, { model: provider.model, options, inputTokens, modalities: [...new Set(kinds)] })
}

const repeatText =
  'The function {tool} with identical arguments {args} has been called earlier, please check the previous results and do not call it again.'

/** The limits of a run by the limits of a call; most calls of an agent share one object. */
const knownLimits = new WeakMap<CallLimits, NonNullable<InferRequest['limits']>>()

/**
 * Tool rounds and parse retries are counted apart, so steps need no limit; without a limit of
 * rounds, guards end a run that gets nowhere.
 */
function runLimits(limits: CallLimits): NonNullable<InferRequest['limits']> {
  const known = knownLimits.get(limits)
  if (known) return known
  const made = {
    maxSteps: Infinity,
    maxParseFailures: limits.maxParseRetries + 1,
    repeatWindow: Infinity,
    ...(limits.maxToolRounds === Infinity ? {} : { maxRepeats: Infinity, maxIdleSteps: Infinity }),
    repeatableTools: limits.repeatableTools,
    concurrency: limits.concurrency,
    toolTimeoutMs: limits.toolTimeoutMs,
  }
  knownLimits.set(limits, made)
  return made
}
