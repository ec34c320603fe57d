import {
  type Agent,
  AgentHost,
  type AgentStore,
  type HeldTask,
  type TaskLeases,
} from '@modelport/agent'
import { longestTimer } from '@modelport/core'
import { checkArguments } from '../database/check-arguments.js'
import type { RunParts } from '../runs/held-run.js'
import { PollingWorker } from '../runs/polling-worker.js'
import type { RunDefinition } from '../runs/run-definition.js'

/** The work of one bounded pass; see {@link DurableStore.work}. */
export interface WorkOptions {
  /** Agents whose tasks are worked on. */
  readonly agents?: readonly Agent[] | undefined
  /** Kinds of runs that are worked on. */
  readonly runs?: readonly RunDefinition[] | undefined
  /**
   * After so many milliseconds what runs is given back, and the pass ends. Default: it ends when
   * nothing is left.
   */
  readonly maxMs?: number | undefined
  /** Maximum tasks and runs that are begun or continued. Default: no limit. */
  readonly maxTasks?: number | undefined
  /**
   * Called for each failure of the database, and for each run whose function rejected. Default:
   * nothing.
   */
  onError?: ((error: unknown) => void) | undefined
  /**
   * The address at which a server takes the result of a call, for `context.run.webhook` of its
   * tool: that of a `createAgentServer` with `url` is `${url}/modelport/results/${token}`, with
   * several agents `${url}/a/${agent}/modelport/results/${token}`. Default: webhooks have no `url`.
   */
  readonly webhookUrl?: ((agent: string, token: string) => string) | undefined
}

/** How often a pass looks for more, in milliseconds. */
const lookMs = 20

/**
 * Works on what can be claimed now, and returns.
 * @returns tasks and runs that were begun or continued
 */
export async function workOnce(
  parts: RunParts,
  store: AgentStore,
  options: WorkOptions,
): Promise<number> {
  checkArguments('work', options, {
    agents: 'optional',
    runs: 'optional',
    maxMs: 'optional',
    maxTasks: 'optional',
    onError: 'optional',
    webhookUrl: 'optional',
  })
  const {
    agents = [],
    runs = [],
    maxMs = Infinity,
    maxTasks = Infinity,
    onError,
    webhookUrl,
  } = options
  const until = performance.now() + maxMs
  const report = (error: unknown): undefined => {
    onError?.(error)
    return undefined
  }
  let begun = 0
  if (runs.length > 0 && maxTasks > 0) {
    const worker = new PollingWorker(parts, runs, { onError: report }, maxTasks)
    await Promise.race([worker.idle(), sleepUntil(until)])
    await worker.stop()
    begun += worker.started
  }
  if (agents.length > 0 && begun < maxTasks && until > performance.now())
    begun += await workOnTasks(store, agents, {
      until,
      most: maxTasks - begun,
      onError: report,
      webhookUrl,
    })
  return begun
}

interface Bounds {
  readonly until: number
  readonly most: number
  readonly onError: (error: unknown) => undefined
  readonly webhookUrl: WorkOptions['webhookUrl']
}

async function workOnTasks(
  store: AgentStore,
  agents: readonly Agent[],
  { until, most, onError, webhookUrl }: Bounds,
): Promise<number> {
  const { leases } = store
  if (!leases) return 0
  let begun = 0
  const state = { claiming: 0, isIdle: false }
  const active = new Set<HeldTask>()
  const counted: TaskLeases = {
    checkMs: lookMs,
    hold: async (key, fingerprint) => {
      if (begun >= most || performance.now() >= until) return undefined
      begun++
      state.claiming++
      const held = await leases.hold(key, fingerprint).catch(onError)
      state.claiming--
      if (!held) {
        begun--
        return undefined
      }
      active.add(held)
      return {
        tasks: held.tasks,
        signal: held.signal,
        attempt: held.attempt,
        open: (runId) => held.open(runId),
        stop: (why) => held.stop(why),
        release: async () => {
          if (active.delete(held)) await held.release()
        },
      }
    },
    abandoned: async (known) => {
      const found = await leases.abandoned(known)
      state.isIdle = found.length === 0
      return found.slice(0, Math.max(0, most - begun))
    },
    expired: (names) => leases.expired(names),
    lookAt: (key, time) => leases.lookAt(key, time),
  }
  const host = new AgentHost(agents, { store: { ...store, leases: counted }, onError, webhookUrl })
  const look = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
  do await look(lookMs)
  while (
    performance.now() < until &&
    (state.claiming + active.size > 0 || !(state.isIdle || begun >= most))
  )
  await host.drain(0)
  // A handler that ignores its signal can write nothing any more.
  await Promise.all([...active].map((held) => held.release()))
  return begun
}

const sleepUntil = (until: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(
      resolve,
      Math.min(Math.max(0, until - performance.now()), longestTimer),
    )
    timer.unref()
  })
