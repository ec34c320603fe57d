import { namesOf } from '@modelport/core/settings'
import type { RequestRules } from '../base/check-request.js'
import { defaultRunLimits } from './run-limits.js'
import type { InferRequest } from './run-request.js'

/** What a run may be asked. */
export const requestRules: RequestRules = {
  where: 'infer',
  toolsAre: 'tools',
  limits: Object.keys(defaultRunLimits),
  known: namesOf<InferRequest>({
    query: 1,
    messages: 1,
    history: 1,
    system: 1,
    actionPrompt: 1,
    tools: 1,
    sources: 1,
    agents: 1,
    mode: 1,
    capabilities: 1,
    preset: 1,
    limits: 1,
    budget: 1,
    profile: 1,
    authorize: 1,
    onEvent: 1,
    onStreamEvent: 1,
    deltas: 1,
    sink: 1,
    compaction: 1,
    outputSchema: 1,
    output: 1,
    afterTools: 1,
    options: 1,
    signal: 1,
    runId: 1,
    scope: 1,
    journal: 1,
    resume: 1,
    decisions: 1,
    acceptChange: 1,
    repeatFailed: 1,
    policyVersion: 1,
    agentName: 1,
  }),
}
