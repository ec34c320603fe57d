import { existsSync } from 'node:fs'
import type { OperatorDecision, WorkItem } from '@modelport/durable'
import type { StudioStore } from '@modelport/studio'
import type { Cli } from '../context/cli.js'
import { exitCodes, UsageError } from '../errors/exit-codes.js'
import { type StoreCommandOptions, withStore } from './agent-store.js'
import { anyOutcome, type OutcomeOptions, toKnownOutcome } from './call-outcome.js'
import { endOfCall, endsOfItem, reasonOf, storeFlags } from './stored-waits.js'

interface RequestOptions extends StoreCommandOptions {
  readonly request?: string
}

/** Options of `modelport agent approve`. */
export interface ApproveOptions extends RequestOptions {
  readonly deny?: true | string
}

/** Options of `modelport agent reconcile`. */
export interface ReconcileOptions extends RequestOptions, OutcomeOptions {}

/** Options of `modelport agent resume`. */
export interface ResumeOptions extends StoreCommandOptions {
  readonly of?: string
  readonly to?: string
  readonly takeOver?: boolean
}

/** Options of `modelport agent cancel`. */
export interface CancelOptions extends StoreCommandOptions {
  readonly reason?: string
}

/** Options of `modelport agent prune`. */
export interface PruneCommandOptions extends StoreCommandOptions {
  readonly olderThan: number
  readonly pieces?: boolean
  readonly dryRun?: boolean
}

/** Options of `modelport agent forget`. */
export interface ForgetCommandOptions extends StoreCommandOptions {
  readonly studio?: string
}

/** Options of `agent tasks` with a store. */
export interface StoredTasksOptions extends StoreCommandOptions {
  readonly limit: number
  readonly all?: boolean
}

/** Lists the tasks and runs of a store, with what they wait for. */
export async function listStored(cli: Cli, options: StoredTasksOptions): Promise<number> {
  const { out, err, json } = cli
  const items = await withStore(cli, options, (store) =>
    store.operations.list({ limit: options.limit, all: options.all === true }),
  )
  if (json) out.json({ items })
  else if (items.length === 0)
    out.line(options.all === true ? 'nothing is stored here' : 'nothing is open in this store')
  else
    for (const item of items)
      for (const line of linesOf(item, storeFlags(options))) out.line(out.foreign(line))
  if (!json && items.length >= options.limit) err.line(err.style('dim', '--limit shows more'))
  return exitCodes.done
}

function linesOf(item: WorkItem, store: string): readonly string[] {
  const { kind, id, name, principal, state, changedAt, isHeld, waitsFor, reason } = item
  const owner = principal === undefined ? [] : [principal]
  const held = isHeld ? ['(a process works on it)'] : []
  return [
    [kind, id, state, new Date(changedAt).toISOString(), name, ...owner, ...held].join('  '),
    ...waitsFor.flatMap((call) => {
      const { who, commands } = endOfCall(call, id, store)
      const reason = reasonOf(call)
      const action = JSON.stringify(call.action)
      const why = reason === undefined ? [] : [reason]
      return [
        ['   ', call.kind, call.requestId, action, ...why].join('  '),
        ...[who, ...commands].map((line) => `      ${line}`),
      ]
    }),
    ...(reason === undefined ? [] : [`    ${reason}`]),
    ...endsOfItem(item, store).flatMap((end) =>
      [end.who, ...end.commands].map((line) => `      ${line}`),
    ),
  ]
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Prints what was done: data for programs, a line for people. */
function done({ out, json }: Cli, data: object, line: string): number {
  if (json) out.json(data)
  else out.line(out.foreign(line))
  return exitCodes.done
}

/** Lets any process continue a task or run at once, or all of a version under another one. */
export async function resume(
  cli: Cli,
  id: string | undefined,
  { of, to, takeOver = false, ...options }: ResumeOptions,
): Promise<number> {
  if ((id === undefined) === (of === undefined))
    throw new UsageError('name a task or run by its id, or all of a version by --of VERSION')
  if (id === undefined) {
    const count = await withStore(cli, options, (store) =>
      store.operations.resumeVersion(of ?? '', to),
    )
    return done(cli, { resumed: count, of }, `${count} can be continued under another version`)
  }
  await withStore(cli, options, (store) => store.operations.resume(id, { takeOver }))
  return done(cli, { resumed: id }, `${id} can be continued by any process that serves it`)
}

/** Cancels a task or run, whichever process works on it. */
export async function cancel(
  cli: Cli,
  id: string,
  { reason, ...options }: CancelOptions,
): Promise<number> {
  await withStore(cli, options, (store) => store.operations.cancel(id, reason))
  return done(cli, { cancelled: id }, `${id} is cancelled`)
}

/** Approves or denies a call that waits. */
export const approve = (cli: Cli, id: string, options: ApproveOptions): Promise<number> =>
  decide(cli, id, toApproval(options), options)

/** Says what became of a call whose outcome is unknown. */
export const reconcile = (cli: Cli, id: string, options: ReconcileOptions): Promise<number> =>
  decide(cli, id, toOutcome(options), options)

async function decide(
  cli: Cli,
  id: string,
  decision: OperatorDecision,
  options: RequestOptions,
): Promise<number> {
  await withStore(cli, options, (store) => store.operations.decide(id, decision, options.request))
  return done(cli, { id, decision }, `${id}: stored; any process that serves it continues it`)
}

function toApproval({ deny }: ApproveOptions): OperatorDecision {
  if (deny === 'REASON')
    throw new UsageError('--deny REASON: write your reason in place of REASON, or leave it out')
  if (deny === undefined) return { type: 'approve' }
  return { type: 'deny', ...(deny !== true && { reason: deny }) }
}

function toOutcome(options: ReconcileOptions): OperatorDecision {
  const known = toKnownOutcome(options)
  if (!known) throw new UsageError(`say what became of the call: ${anyOutcome}`)
  const { outcome, result = '' } = known
  if (outcome === 'happened') return { type: outcome, result }
  return { type: outcome === 'unknown' ? 'give-up' : outcome }
}

/** Removes what a principal said, and says what is out of reach. */
export async function forget(
  cli: Cli,
  principal: string,
  { studio, ...options }: ForgetCommandOptions,
): Promise<number> {
  const runs = studio === undefined ? undefined : await openStudioFile(studio)
  const taskIds: string[] = []
  let studioRuns = 0
  try {
    const report = await withStore(cli, options, (store) =>
      store.operations.forget(principal, {
        also: async (ids) => {
          studioRuns += (await runs?.forget(ids)) ?? 0
          taskIds.push(...ids)
        },
      }),
    )
    const { agents, unreached } = report
    const what = [
      counted(report.tasks, 'task'),
      counted(report.sessions, 'conversation'),
      ...(runs ? [`${counted(studioRuns, 'run')} of the studio`] : []),
    ]
    const places = [...(runs ? [] : ['studios']), 'back-ups', 'cassettes', 'logs', 'vendors']
    const lines = [
      `forgot ${principal}: ${what.join(', ')}`,
      ...(agents.length ? [`forgotten by: ${agents.join(', ')}`] : []),
      ...unreached.map(
        ({ agent, caller, tasks, reason }) =>
          `not forgotten by ${agent}, which ${caller} called for ${tasks.join(', ')}: ${reason}`,
      ),
      `out of reach: runs without an owner, ${places.join(', ')}`,
    ]
    return done(cli, { ...report, principal, taskIds, studioRuns }, lines.join('\n'))
  } finally {
    await runs?.close()
  }
}

/** Opens the file of a studio, which has to exist. */
async function openStudioFile(path: string): Promise<StudioStore> {
  if (!existsSync(path))
    throw new UsageError(`--studio ${path} does not exist; name the file of a studio`)
  const { openFileStore } = await import('@modelport/studio/node')
  return openFileStore(path)
}

/** Removes tasks and runs that are over. */
export async function prune(
  cli: Cli,
  { olderThan, pieces, dryRun, ...options }: PruneCommandOptions,
): Promise<number> {
  const report = await withStore(cli, options, (store) =>
    store.operations.prune({
      before: Date.now() - olderThan,
      what: pieces ? 'pieces' : 'all',
      dryRun: dryRun === true,
    }),
  )
  const verb = dryRun ? 'would remove' : 'removed'
  const what = `${counted(report.tasks, 'task')}, ${counted(report.runs, 'run')}, ${counted(report.pieces, 'piece')}`
  return done(cli, { ...report, dryRun: dryRun === true }, `${verb} ${what} of text`)
}
