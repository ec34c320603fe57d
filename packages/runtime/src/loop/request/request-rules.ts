import { namesOf } from '@modelport/core/settings'
import type { RequestRules } from '../../base/check-request.js'
import { budgetLimits } from '../../budget/budget-account.js'
import { defaultRunLimits, type RunLimits } from './run-limits.js'
import type { InferRequest } from './run-request.js'

type Group<Name extends 'limits' | 'observe' | 'durable'> = NonNullable<InferRequest[Name]>

/** The bounds of a run besides its {@link RunLimits}. */
const bounds = namesOf<Omit<Group<'limits'>, keyof RunLimits>>({
  budget: true,
  compaction: true,
  profile: true,
  capabilities: true,
  preset: true,
})

/** The fields of a request for a run. */
export const requestRules: RequestRules = {
  where: 'infer',
  toolsAre: 'tools',
  known: namesOf<InferRequest>({
    query: true,
    messages: true,
    history: true,
    system: true,
    tools: true,
    sources: true,
    agents: true,
    mode: true,
    authorize: true,
    calls: true,
    afterTools: true,
    outputSchema: true,
    output: true,
    options: true,
    prepareStep: true,
    stopWhen: true,
    models: true,
    handoffs: true,
    agent: true,
    context: true,
    signal: true,
    limits: true,
    observe: true,
    durable: true,
  }),
  groups: {
    limits: [...Object.keys(defaultRunLimits), ...bounds],
    observe: namesOf<Group<'observe'>>({
      onEvent: true,
      onStreamEvent: true,
      deltas: true,
      sink: true,
      agentName: true,
    }),
    durable: namesOf<Group<'durable'>>({
      runId: true,
      scope: true,
      journal: true,
      engine: true,
      resume: true,
      decisions: true,
      acceptChange: true,
      repeatFailed: true,
      policyVersion: true,
    }),
    'limits.budget': budgetLimits,
  },
}
