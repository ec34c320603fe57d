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
  const { tools, agents = [], system, options, outputSchema, output, handoffs, authorize } = request

  // Runs that were stored before `maxResultLength` existed have none.
  const { maxResultLength, ...olderLimits } = limits

  const systemText = typeof system === 'string' ? system : ''
  const schema = outputSchema ? outputCheck?.schema : output?.schema
  const hasOutput = output !== undefined
  return toFingerprint({
    provider,
    mode,
    ...(Array.isArray(tools) && {
      tools: (tools as readonly Tool[]).map(({ definition }) => definition),
    }),
    agents,
    system: handoffs ? systemText + canonicalJson(handoffs) : systemText,
    preset,
    output: [schema, hasOutput],
    options: mergeOptions(preset.options, options),
    limits: maxResultLength === Infinity ? olderLimits : limits,
    policy: authorize ? (durable.policyVersion ?? 'unversioned') : 'none',
  })
}
