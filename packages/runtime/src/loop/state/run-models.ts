import type { Capabilities, ModelProfile, Provider } from '@modelport/core'
import { checkProfile } from '../../base/check-request.js'
import { BudgetLedger } from '../../budget/budget.js'
import { estimateOf } from '../../history/known-parts.js'
import type { RunCheckpoint } from '../../journal/checkpoint.js'
import { ResumeError } from '../../journal/resume-error.js'
import type { StepChoice } from '../../journal/step-choice.js'
import { type ActionMode, resolveMode } from '../../reply/action-mode.js'
import type { InferRequest } from '../request/run-request.js'
import { withDescription } from '../request/with-description.js'

/** A model of a run, with the facts that the run has learned about its server. */
export interface RunModel {
  readonly provider: Provider
  readonly capabilities: Capabilities | undefined
  readonly profile: ModelProfile | undefined
  /** The form in which the model asks for actions; `json` once its server refused tools. */
  mode: ActionMode
  /**
   * The requested form of the reply; higher once the server refused one. See `PromptPlanRequest`.
   */
  formatLevel: number
  /**
   * True once a reply came to a request that asked for a format: a later refusal has another
   * reason.
   */
  isFormatAccepted: boolean
}

/**
 * The models of a run: its own, those that its steps may choose, and the choice of the current
 * step.
 */
export class RunModels {
  readonly main: RunModel
  readonly #others: ReadonlyMap<string, RunModel>
  #current: RunModel
  #choice: StepChoice | undefined

  /**
   * @throws {LlmError} `config` — there is no such mode, or the budget limits the cost and a price
   * is not known.
   */
  constructor(provider: Provider, request: InferRequest, resume: RunCheckpoint | undefined) {
    const { models = {}, limits = {}, mode } = request
    // Messages of the other mode are in the transcript of a stored run.
    const asked = (resume?.fingerprint.mode as ActionMode | undefined) ?? mode
    this.main = toModel(provider, request, asked, limits)
    this.main.formatLevel = resume?.formatLevel ?? this.main.formatLevel
    this.#current = this.main
    this.#others = new Map(
      Object.entries(models).map(([name, other]) => [name, toModel(other, request, mode)]),
    )
    const { budget } = limits
    const limited = budget instanceof BudgetLedger ? undefined : budget
    for (const { profile } of [this.main, ...this.#others.values()]) checkProfile(limited, profile)
  }

  get current(): RunModel {
    return this.#current
  }

  /** The provider of the current step. */
  get provider(): Provider {
    return this.#current.provider
  }

  get profile(): ModelProfile | undefined {
    return this.#current.profile
  }

  get capabilities(): Capabilities | undefined {
    return this.#current.capabilities
  }

  /** Estimates tokens as the provider of the current step does. */
  get estimate(): (text: string) => number {
    return estimateOf(this.#current.provider)
  }

  get choice(): StepChoice | undefined {
    return this.#choice
  }

  /**
   * Holds the current step to a choice.
   * @throws {ResumeError} it was stored with a model that the request does not have.
   */
  choose(choice: StepChoice): void {
    const { model: name } = choice
    const model = name === undefined ? this.main : this.#others.get(name)
    if (!model)
      throw new ResumeError(
        'fingerprint',
        `resume: the step was stored with models.${name}; give the models it was started with`,
      )
    this.#choice = choice
    this.#current = model
  }
}

function toModel(
  provider: Provider,
  { limits }: InferRequest,
  mode: ActionMode | 'auto' | undefined,
  given: Parameters<typeof withDescription>[1] = {},
): RunModel {
  const { capabilities, profile } = withDescription(provider, given)
  const isSchemaKnownMissing =
    capabilities?.schema.supported === false || profile?.supportsJsonSchema === false
  return {
    provider,
    capabilities,
    profile,
    mode: resolveMode(mode, capabilities, profile, limits?.preset?.unknownMode),
    formatLevel: isSchemaKnownMissing ? 1 : 0,
    isFormatAccepted: false,
  }
}
