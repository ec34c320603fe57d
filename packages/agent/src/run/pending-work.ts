import { PendingResult, type Tool } from '@modelport/runtime'
import type { Agent } from './agent.js'
import type { CancelChild } from './sub-agent.js'

/** The tools of an agent, and those of whom its model may hand over to. */
export const toolsOf = ({ settings: { tools = [], handoffs = {} } }: Agent): readonly Tool[] => [
  ...tools,
  ...Object.values(handoffs).flatMap(({ tools: own = [] }) =>
    own.filter((tool) => typeof tool !== 'string'),
  ),
]

/** How long a tool may take to cancel its work, in milliseconds. */
const cancelMs = 30_000

/**
 * Cancels work that a tool left pending.
 * @experimental for stores of our own
 */
export const cancelWork = async (tool: Tool, taskId: string): Promise<void> =>
  tool.cancelPending?.(taskId, { signal: AbortSignal.timeout(cancelMs) })

/** What calls of tools share in one turn of a task. */
export interface PendingWorkParts {
  /** Aborted when the task is cancelled, or its process stops. */
  readonly signal: AbortSignal
  readonly cancelChild?: CancelChild | undefined
}

/**
 * The tool, called for one task: if the task is cancelled while another call of the turn works, so
 * is the work that this tool left pending. What a turn waits for is stored at its end only.
 */
export function bindTool(tool: Tool, { signal, cancelChild }: PendingWorkParts): Tool {
  if (!tool.cancelPending) return tool

  const cancel = async (taskId: string): Promise<void> => {
    if (cancelChild) await cancelChild({ tool: true, target: tool.definition.name, taskId })
    else await cancelWork(tool, taskId)
  }
  return {
    ...tool,
    validate: (value) => tool.validate(value),
    execute: async (value, context) => {
      // eslint-disable-next-line no-restricted-syntax -- a wrapper: the run calls it
      const result = await tool.execute(value, context)
      if (result instanceof PendingResult) {
        const stop = (): void => void cancel(result.id).catch(() => undefined)
        if (signal.aborted) stop()
        else signal.addEventListener('abort', stop, { once: true })
      }
      return result
    },
  }
}
