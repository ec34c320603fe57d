import type { SharedV3Warning } from '@ai-sdk/provider'
import { type CallOptions, isLlmError, type LlmError, mergeOptions } from '@modelport/core'
import { toWarning } from './lost-options.js'

/**
 * Settings that the packages of the AI SDK leave out with a warning where a model does not take
 * them: our name, theirs, and how a refusal names it, ours or that of a server.
 */
const settings = [
  { name: 'temperature', feature: 'temperature', named: /\btemperature\b/i },
  { name: 'topP', feature: 'topP', named: /\btop_?p\b/i },
  { name: 'topK', feature: 'topK', named: /\btop_?k\b/i },
  { name: 'seed', feature: 'seed', named: /\bseed\b/i },
  { name: 'stop', feature: 'stopSequences', named: /\bstop(_?sequences)?\b/i },
  { name: 'reasoning', feature: 'reasoning', named: /\breasoning(_effort|\.effort)?\b/i },
] as const

type Setting = (typeof settings)[number]

/** The levels that are tried in place of one that a model does not have, the nearest first. */
const nearest: Readonly<Record<string, readonly NonNullable<CallOptions['reasoning']>[]>> = {
  minimal: ['low'],
  low: ['medium', 'high'],
  medium: ['high', 'low'],
  high: ['medium', 'low'],
  xhigh: ['high', 'medium', 'low'],
  max: ['xhigh', 'high', 'medium', 'low'],
}

/** How a server says that it does not take a field. */
const isRefused = /unsupported|not support|not allowed|not permitted|does not|deprecated|cannot/i

/**
 * Asks, and asks again without a setting that was refused, which costs no request where this
 * library refuses it. `set` are the settings of the AI SDK's own call: what the application asks
 * for by other ways is never left out.
 */
export async function askWithoutRefused<Reply>(
  options: CallOptions,
  set: readonly string[],
  ask: (options: CallOptions) => Promise<Reply>,
): Promise<{ readonly reply: Reply; readonly warnings: readonly SharedV3Warning[] }> {
  const warnings: SharedV3Warning[] = []
  let left = settings.filter(({ name }) => set.includes(name))
  let levels = [...(nearest[options.reasoning ?? ''] ?? [])]
  let current = options
  for (;;) {
    try {
      const reply = await ask(current)
      return { reply, warnings: [...warnings, ...levelWarning(options, current)] }
    } catch (error) {
      const refused = refusedOf(error, left)
      if (!refused) throw error
      const { name, feature } = refused
      const isOurs = !('status' in (error as LlmError))
      const level = name === 'reasoning' && isOurs ? levels.shift() : undefined
      current = mergeOptions(current, { [name]: level ?? null })
      // What is asked of the reasoning goes with it.
      if (name === 'reasoning' && level === undefined && current.vendor?.['reasoning'])
        current = mergeOptions(current, { vendor: { reasoning: null } })
      if (level !== undefined) continue
      left = left.filter((one) => one !== refused)
      levels = []
      warnings.push(toWarning(feature, (error as LlmError).message))
    }
  }
}

/** What is said of a level that another one stands for. */
function levelWarning(
  { reasoning: asked }: CallOptions,
  { reasoning: taken }: CallOptions,
): readonly SharedV3Warning[] {
  if (taken === asked || typeof taken !== 'string') return []
  return [
    toWarning('reasoning', `the model has no level "${asked}"; "${taken}" was asked for instead`),
  ]
}

/** The setting that an error is about: the first that it names. */
function refusedOf(error: unknown, left: readonly Setting[]): Setting | undefined {
  if (!isLlmError(error) || !['unsupported', 'config', 'invalid-request'].includes(error.code))
    return undefined
  const { message } = error
  if ('status' in error && !isRefused.test(message)) return undefined
  const places = left
    .map((setting) => ({ setting, at: message.search(setting.named) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
  return places[0]?.setting
}
