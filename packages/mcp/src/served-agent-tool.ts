import type { Tool as McpTool } from '@modelcontextprotocol/server'
import type { Agent } from '@modelport/agent'

/** An agent as the tool that it is listed as. */
export const toAgentTool = ({ name, card }: Agent): McpTool => ({
  name: toToolName(name),
  description: card.description,
  inputSchema: {
    type: 'object',
    properties: {
      message: {
        type: 'string',
        description: 'What the agent is asked to do, or the answer to its question',
      },
      context: {
        type: 'string',
        description: 'Continues this conversation: `context` of an earlier result',
      },
      task: {
        type: 'string',
        description: 'Continues this task, which waits or is at work: `task` of an earlier result',
      },
    },
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      answer: { type: 'string' },
      state: { type: 'string' },
      task: { type: 'string' },
      context: { type: 'string' },
      finish_reason: { type: 'string', description: '`length`: the answer was cut off' },
    },
    required: ['answer', 'state', 'task', 'context'],
  },
})

/** The name of an agent as the protocol allows it: 1 to 128 letters, digits, `_`, `-` and `.`. */
export const toToolName = (name: string): string => name.replaceAll(/[^\w.-]/g, '_').slice(0, 128)
