import type { WaitingCall, WorkItem } from '@modelport/durable'
import type { StoredWait } from '@modelport/studio'
import { shellWord } from '../terminal/shell-word.js'
import type { StoreCommandOptions } from './agent-store.js'
import { outcomeFlags } from './call-outcome.js'

/** Who can end a wait, and by which commands. */
export type EndOfWait = Pick<StoredWait, 'who' | 'commands'>

/** The options that name the store, so that a printed command can be copied. */
export function storeFlags(options: StoreCommandOptions): string {
  const { store, storeEnv, schema, encryptionKeyEnv } = options
  const named = { store, 'store-env': storeEnv, schema, 'encryption-key-env': encryptionKeyEnv }
  return Object.entries(named)
    .flatMap(([name, value]) => (value === undefined ? [] : ` --${name} ${shellWord(value)}`))
    .join('')
}

/** Who can end each kind of wait. */
const who: Readonly<Record<WaitingCall['kind'], string>> = {
  approval: 'a caller who may approve decides, or an operator:',
  uncertain: 'ask its receiver what became of it; then its caller says so, or an operator:',
  question: 'only its caller answers:',
  work: 'whoever has the result delivers it: its caller, or an operator:',
}

/** How an operator settles each kind of call. */
const commands: Readonly<Partial<Record<WaitingCall['kind'], readonly string[]>>> = {
  approval: ['approve ID', 'approve ID --deny REASON'],
  uncertain: outcomeFlags.map((flag) => `reconcile ID ${flag}`),
  work: outcomeFlags.map((flag) => `reconcile ID ${flag}`),
}

/** How the wait for a call ends. `store`: the flags that name the store. */
export function endOfCall({ kind, requestId }: WaitingCall, id: string, store: string): EndOfWait {
  // Names the call that is shown: another one may wait when the command is run.
  const named = `${shellWord(id)} --request ${shellWord(requestId)}`
  const settled = (commands[kind] ?? []).map(
    (command) => `modelport agent ${command.replace('ID', () => named)}${store}`,
  )
  return {
    who: who[kind],
    commands: kind === 'question' ? [`modelport agent send URL --task ${shellWord(id)}`] : settled,
  }
}

/** How an item continues that waits for no call; empty for one that does. */
export function endsOfItem(
  { id, state, version = '', waitsFor, unservedSince }: WorkItem,
  store: string,
): readonly (EndOfWait & Pick<StoredWait, 'kind'>)[] {
  const named = shellWord(id)
  const isAsking = waitsFor.length === 0 && /^(input|auth)-required$/.test(state)
  const since = unservedSince === undefined ? '' : new Date(unservedSince).toISOString()
  return [
    ...(isAsking
      ? [
          {
            kind: 'message' as const,
            who: 'its caller continues it:',
            commands: [`modelport agent send URL --task ${named} "…"`],
          },
        ]
      : []),
    ...(since
      ? [
          {
            kind: 'unserved' as const,
            who: `waits for a process that serves version ${version}, since ${since}; start one, or let another version continue:`,
            commands: [`modelport agent resume --of ${shellWord(version)}${store}`],
          },
        ]
      : []),
    ...(state === 'stopped'
      ? [
          {
            kind: 'stopped' as const,
            who: 'it stopped; an operator lets it continue:',
            commands: [`modelport agent resume ${named}${store}`],
          },
        ]
      : []),
  ]
}

/**
 * For a call with an unknown outcome, only the first sentence: the rest says how clients of the
 * agent settle it.
 */
export function reasonOf({ kind, reason }: WaitingCall): string | undefined {
  return kind === 'uncertain' ? reason?.split('. ')[0] : reason
}

/** What waits in a store, for the studio. */
export const toStoredWaits = (items: readonly WorkItem[], store: string): StoredWait[] =>
  items.flatMap((item) => {
    const { id, name, principal, changedAt } = item
    const about = { id, name, at: changedAt, ...(principal !== undefined && { principal }) }
    const why = item.reason === undefined ? {} : { reason: item.reason }
    return [
      ...item.waitsFor.map((call): StoredWait => {
        const reason = reasonOf(call)
        return {
          ...about,
          kind: call.kind,
          call: callOf(call),
          ...(reason !== undefined && { reason }),
          ...endOfCall(call, id, store),
        }
      }),
      ...endsOfItem(item, store).map((end): StoredWait => ({ ...about, ...why, ...end })),
    ]
  })

function callOf({ action }: WaitingCall): NonNullable<StoredWait['call']> {
  const { tool, agent, args } = action as Readonly<Record<string, unknown>>
  const name = tool ?? agent
  return { name: typeof name === 'string' ? name : 'a call', args }
}
