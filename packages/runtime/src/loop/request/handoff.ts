import { configError } from '@modelport/core'
import type { StepChoice } from '../../journal/step-choice.js'
import type { Authorize } from '../../policy/authorize.js'
import type { Tool } from '../../tools/tool.js'

/**
 * An agent to whom the model can hand the conversation: the settings of each step while it is in
 * control. Unset ones are those of the request.
 */
export interface Handoff extends Omit<StepChoice, 'tools'> {
  /** What it is for; the model reads it. */
  readonly description: string
  /**
   * What it may use: names of tools and agents of the request, and tools of its own. Unset: all of
   * the request.
   */
  readonly tools?: readonly (string | Tool)[] | undefined
  /** Asked before each of its calls, in place of `authorize` of the request. */
  readonly authorize?: Authorize | undefined
}

/** Name of the tool by which control passes. */
export const handoffTool = 'hand_off'

/**
 * Holds the tools of agents to names of their own before anything runs: in the middle of a run,
 * money is spent and effects have happened.
 * @throws {LlmError} `config` — a tool of a handoff has the name of another tool.
 */
export function checkHandoffTools({
  tools = [],
  handoffs = {},
}: {
  readonly tools?: unknown
  readonly handoffs?: Readonly<Record<string, Handoff>> | undefined
}): void {
  const given: readonly Tool[] = Array.isArray(tools) ? (tools as readonly Tool[]) : []
  for (const [agent, { tools: listed = [] }] of Object.entries(handoffs)) {
    const own = listed.filter((tool): tool is Tool => typeof tool !== 'string')
    const added = [...new Set(own)].filter((tool) => !given.includes(tool))
    const taken = new Set([...given.map(({ definition }) => definition.name), handoffTool])
    for (const { definition } of added) {
      const { name } = definition
      if (taken.has(name))
        throw configError(
          `handoffs.${agent}: another tool is named "${name}" too; rename one of them, or list "${name}" as a text to use that of the request`,
        )
      taken.add(name)
    }
  }
}
