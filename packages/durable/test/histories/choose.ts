// What moves are about: a process, or a task that somebody sent.
import type { AgentClient } from '@modelport/agent'
import type { Cluster, Running, Sent } from './cluster.js'
import type { Move } from './history.js'
import type { Play } from './sent.js'

export const alive = ({ running }: Cluster): readonly Running[] =>
  running.flatMap((one) => (one && !one.process.isDead ? [one] : []))
/** A process that is not dead. */
export const anyAlive = (cluster: Cluster, n: number): Running | undefined => {
  const all = alive(cluster)
  return all[n % Math.max(1, all.length)]
}
/** Mostly the process to which something has just happened, if the move waited for that. */
export function actorOf(cluster: Cluster, { n, when }: Move): Running | undefined {
  const { actor } = cluster
  const one =
    when && n % 4 > 0 ? alive(cluster).find(({ process }) => process === actor) : undefined
  return one ?? anyAlive(cluster, n)
}

/** A task that somebody sent to the desk or the clerk. */
export const anySent = ({ sent }: Cluster, n: number): Sent | undefined => {
  const tasks = sent.filter(({ job }) => !['run', 'chat', 'guest'].includes(job.kind))
  return tasks[n % Math.max(1, tasks.length)]
}

/** Does something about a task that somebody sent. */
export const about =
  (
    what: string,
    run: (
      client: AgentClient,
      sent: Sent & { readonly taskId: string },
      cluster: Cluster,
      move: Move,
    ) => Promise<unknown>,
  ): Play =>
  (cluster, move) => {
    const sent = anySent(cluster, move.n)
    const { taskId } = sent ?? {}
    if (!sent || taskId === undefined) return false
    cluster.act(`${what} ${sent.job.id}`, () =>
      run(cluster.clientOf(sent), sent as Sent & { readonly taskId: string }, cluster, move),
    )
    return true
  }

/** In a process, as its own program does it. */
export const inside =
  (what: string, run: (one: Running, cluster: Cluster, move: Move) => Promise<unknown>): Play =>
  (cluster, move) => {
    const one = anyAlive(cluster, move.n)
    if (!one) return false
    cluster.world.as(one.process, () => cluster.act(what, () => run(one, cluster, move)))
    return true
  }
