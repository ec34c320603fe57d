import { namesOf } from '@modelport/core/settings'
import type { RequestRules } from '../base/check-request.js'
import { budgetLimits } from '../budget/budget-account.js'
import { defaultRunLimits, type RunLimits } from './run-limits.js'
import type { InferRequest } from './run-request.js'

type Group<Name extends 'limits' | 'observe' | 'durable'> = NonNullable<InferRequest[Name]>

/** The bounds of a run besides its {@link RunLimits}. */
const bounds = namesOf<Omit<Group<'limits'>, keyof RunLimits>>()(
  'budget compaction profile capabilities preset',
)

/** The fields of a request for a run. */
export const requestRules: RequestRules = {
  where: 'infer',
  toolsAre: 'tools',
  known: namesOf<InferRequest>()(
    'query messages history system tools sources agents mode authorize afterTools outputSchema output',
    'options prepareStep stopWhen models handoffs agent context signal limits observe durable',
  ),
  groups: {
    limits: [...Object.keys(defaultRunLimits), ...bounds],
    observe: namesOf<Group<'observe'>>()('onEvent onStreamEvent deltas sink agentName'),
    durable: namesOf<Group<'durable'>>()(
      'runId scope journal resume decisions acceptChange repeatFailed policyVersion',
    ),
    'limits.budget': budgetLimits,
  },
}
