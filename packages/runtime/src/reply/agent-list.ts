import type { AgentTarget } from '../tools/agent-target.js'
import { toToolList } from './tool-list.js'

/** The description of an agent. */
export type Listed = Pick<AgentTarget, 'name' | 'description' | 'tools'>

/** Agents as a line each, with the tools that may be called directly. */
export const toAgentList = (agents: readonly Listed[]): string =>
  agents
    .map(({ name, description, tools = [] }) => {
      const line = `- ${name}: ${description}`
      return tools.length
        ? `${line}\n  its tools:\n${toToolList(tools).replaceAll(/^/gm, '  ')}`
        : line
    })
    .join('\n')
