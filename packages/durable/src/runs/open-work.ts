import { cancelWork } from '@modelport/agent'
import type { InferRequest, JournalEntry, Tool } from '@modelport/runtime'
import { readJournal } from './entries.js'
import type { HeldRun, RunParts } from './held-run.js'

/** Where the requests of a run have their tools. */
type ToolPlaces = Pick<InferRequest, 'tools' | 'sources'>

/** How long the sources of a run may take to list their tools, in milliseconds. */
const listMs = 30_000

/** The tools of the requests that the function of a run has made in this process. */
export class ToolsOfRun {
  readonly #places = new Set<ToolPlaces>()

  add({ tools, sources }: ToolPlaces): void {
    this.#places.add({ tools, sources })
  }

  /** The tools by name. The signal of the run is of no use: it is aborted. */
  async byName(step: number): Promise<ReadonlyMap<string, Tool>> {
    const signal = AbortSignal.timeout(listMs)
    const listsOf = async ({ tools = [], sources = [] }: ToolPlaces): Promise<readonly Tool[]> => {
      const own = typeof tools === 'function' ? await tools(step) : tools
      const sourced = await Promise.all(sources.map((source) => source.tools(signal)))
      return [...(isList(own) ? own : []), ...sourced.flat()]
    }
    const found = (await Promise.all([...this.#places].map(listsOf))).flat()
    return new Map(found.map((tool) => [tool.definition.name, tool]))
  }
}

/** A tool of another library, in a set, leaves nothing pending that it can cancel. */
const isList = (tools: NonNullable<InferRequest['tools']>): tools is readonly Tool[] =>
  Array.isArray(tools)

/** Work that a tool left pending. */
interface OpenWork {
  readonly tool: string
  readonly taskId: string
}

/** What a run waits for, by the id of the call: of its checkpoint, and what was done since. */
function openWork(
  { run: { checkpoint } }: HeldRun,
  entries: readonly JournalEntry[],
): ReadonlyMap<string, OpenWork> {
  const open = new Map<string, OpenWork>()
  for (const item of checkpoint?.pending ?? [])
    if (item.type === 'wait' && item.cancelable && item.action.type === 'tool_call')
      open.set(item.id, { tool: item.action.tool, taskId: item.taskId })

  const toolOf = new Map<string, string>()
  for (const entry of entries) {
    if (entry.kind !== 'tool') continue
    if (entry.entry === 'intent') {
      if (entry.action.type === 'tool_call') toolOf.set(entry.key, entry.action.tool)
      continue
    }
    const tool = toolOf.get(entry.key) ?? open.get(entry.callId)?.tool
    const { taskId } = entry.outcome
    if (tool !== undefined && taskId !== undefined) open.set(entry.callId, { tool, taskId })
    else open.delete(entry.callId)
  }
  return open
}

/**
 * Cancels the work that tools of a cancelled run left pending.
 *
 * @param learn makes the function of the run name its tools; called if there is such work
 * @returns the ids of the calls whose work nobody could cancel: the run has no such tool any more
 * @throws what a tool throws: its work may continue
 */
export async function cancelOpenWork(
  parts: RunParts,
  held: HeldRun,
  learn: () => Promise<ToolsOfRun>,
): Promise<ReadonlySet<string>> {
  const { id, mark, checkpoint } = held.run
  await held.journal.flush()
  const open = openWork(held, await readJournal(parts, id, mark))
  const left = new Set<string>()
  if (open.size === 0) return left

  const tools = await (await learn()).byName(checkpoint?.step ?? 1)
  await Promise.all(
    [...open].map(async ([callId, { tool: name, taskId }]) => {
      const tool = tools.get(name)
      if (tool) await cancelWork(tool, taskId)
      else left.add(callId)
    }),
  )
  return left
}
