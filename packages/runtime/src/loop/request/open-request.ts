import { mergeOptions, validateOptions } from '@modelport/core'
import { checkToolNames } from '../../base/check-request.js'
import { randomId } from '../../base/random-id.js'
import type { BudgetLedger, RunBudget } from '../../budget/budget.js'
import { checkCheckpoint } from '../../journal/check-checkpoint.js'
import { type OpenSchema, type StrictSchema, toStrictSchema } from '../../output/strict-schema.js'
import type { Tool } from '../../tools/tool.js'
import { type CompiledParameters, compileParameters } from '../../tools/tool-parameters.js'
import { checkAutoCompaction } from './check-compaction.js'
import { checkHandoffTools, type Handoff, handoffTool } from './handoff.js'
import { type GivenLimits, type RunLimits, toLimits } from './run-limits.js'
import type { RunPreset } from './run-preset.js'
import type { AutoCompaction, InferRequest, RunDurability, RunObservers } from './run-request.js'

type Groups = 'limits' | 'observe' | 'durable' | 'signal'

/** The request of a run, with its groups opened and its defaults filled in. Nothing changes it. */
export interface RunRequest extends Omit<InferRequest, Groups> {
  readonly runId: string
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal
  readonly limits: RunLimits
  readonly budget: RunBudget | BudgetLedger | undefined
  readonly preset: RunPreset
  readonly compaction: AutoCompaction | undefined
  readonly durable: RunDurability
  readonly observe: RunObservers
  /** Checks the output, if it must have a form. */
  readonly outputCheck: CompiledParameters | undefined
  /** The schema of the output as vendors can enforce it, or why there is none. */
  readonly outputForm: StrictSchema | OpenSchema | undefined
  /** The schema of the output in the strict form, if that loses nothing. */
  readonly strictOutput: StrictSchema | undefined
}

/** @throws {LlmError} `config`, `invalid-request` — what is wrong with the request. */
export function openRequest(given: InferRequest, signal: AbortSignal): RunRequest {
  const { durable = {}, observe = {}, limits: bounds = {}, ...request } = given
  const { budget, compaction, preset = {}, profile: _, capabilities: __, ...limits } = bounds
  const { outputSchema, output, tools, options } = request
  const runLimits = limitsOf(request.handoffs, preset.limits, limits)
  if (durable.resume) checkCheckpoint(durable.resume)
  validateOptions(mergeOptions(preset.options, options))
  const outputCheck = outputSchema && compileParameters(outputSchema, 'outputSchema')
  const schema = outputCheck?.schema ?? output?.schema
  const outputForm = schema && toStrictSchema(schema)
  if (Array.isArray(tools)) checkToolNames(tools as readonly Tool[])
  checkHandoffTools(request)
  if (compaction) checkAutoCompaction(compaction)
  return {
    ...request,
    runId: durable.resume?.runId ?? durable.runId ?? `run_${randomId()}`,
    signal,
    limits: runLimits,
    budget,
    preset,
    compaction,
    durable,
    observe,
    outputCheck,
    outputForm,
    strictOutput: outputForm && 'schema' in outputForm ? outputForm : undefined,
  }
}

/** The limits of a run. Control may pass to and fro. */
function limitsOf(
  handoffs: Readonly<Record<string, Handoff>> | undefined,
  preset: GivenLimits | undefined,
  given: GivenLimits,
): RunLimits {
  const limits = toLimits(preset, given)
  return handoffs
    ? { ...limits, repeatableTools: [...limits.repeatableTools, handoffTool] }
    : limits
}
