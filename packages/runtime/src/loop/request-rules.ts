import { namesOf } from '@modelport/core/settings'
import type { RequestRules } from '../base/check-request.js'
import { budgetLimits } from '../budget/budget-account.js'
import { defaultRunLimits, type RunLimits } from './run-limits.js'
import type { InferRequest } from './run-request.js'

type Group<Name extends 'limits' | 'observe' | 'durable'> = NonNullable<InferRequest[Name]>

/** The bounds of a run besides its {@link RunLimits}. */
const bounds = namesOf<Omit<Group<'limits'>, keyof RunLimits>>({
  budget: 1,
  compaction: 1,
  profile: 1,
  capabilities: 1,
  preset: 1,
})

/** The fields of a request for a run. */
export const requestRules: RequestRules = {
  where: 'infer',
  toolsAre: 'tools',
  known: namesOf<InferRequest>({
    query: 1,
    messages: 1,
    history: 1,
    system: 1,
    tools: 1,
    sources: 1,
    agents: 1,
    mode: 1,
    authorize: 1,
    afterTools: 1,
    outputSchema: 1,
    output: 1,
    options: 1,
    prepareStep: 1,
    stopWhen: 1,
    models: 1,
    handoffs: 1,
    agent: 1,
    context: 1,
    signal: 1,
    limits: 1,
    observe: 1,
    durable: 1,
  }),
  groups: {
    limits: [...Object.keys(defaultRunLimits), ...bounds],
    observe: namesOf<Group<'observe'>>({ onEvent: 1, onStreamEvent: 1, deltas: 1, sink: 1, agentName: 1 }),
    durable: namesOf<Group<'durable'>>({
      runId: 1,
      scope: 1,
      journal: 1,
      resume: 1,
      decisions: 1,
      acceptChange: 1,
      repeatFailed: 1,
      policyVersion: 1,
    }),
    'limits.budget': budgetLimits,
  },
}
