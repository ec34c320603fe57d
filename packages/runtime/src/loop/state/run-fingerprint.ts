import { mergeOptions, type Provider } from '@modelport/core'
import { canonicalJson } from '../../base/canonical-json.js'
import type { RunFingerprint } from '../../journal/checkpoint.js'
import { toFingerprint } from '../../journal/fingerprint.js'
import type { ActionMode } from '../../reply/action-mode.js'
import type { Tool } from '../../tools/tool.js'
import type { RunRequest } from '../request/open-request.js'

interface FingerprintedRun {
  readonly request: RunRequest
  readonly models: { readonly main: { readonly provider: Provider; readonly mode: ActionMode } }
}

/** Describes what the run is made of. */
export function fingerprintOf(run: FingerprintedRun): RunFingerprint {
  const { request, models } = run
  const { preset, limits, outputCheck, durable } = request
  const { provider, mode } = models.main
  const { maxResultLength, ...limitsBefore } = limits
  const { tools, agents = [], system, options, outputSchema, output, handoffs, authorize } = request
  return toFingerprint({
    provider,
    mode,
    ...(Array.isArray(tools) && {
      tools: (tools as readonly Tool[]).map(({ definition }) => definition),
    }),
    agents,
    system: `${typeof system === 'string' ? system : ''}${handoffs ? canonicalJson(handoffs) : ''}`,
    preset,
    output: [outputSchema ? outputCheck?.schema : output?.schema, output !== undefined],
    options: mergeOptions(preset.options, options),
    // Runs that were stored before there was this limit have none.
    limits: maxResultLength === Infinity ? limitsBefore : limits,
    policy: authorize ? (durable.policyVersion ?? 'unversioned') : 'none',
  })
}
