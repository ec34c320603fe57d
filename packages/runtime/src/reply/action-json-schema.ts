import type { JsonObject, ToolDefinition } from '@modelport/core'
import type { AgentTarget } from '../loop/agent-target.js'

const text: JsonObject = { type: 'string', minLength: 1 }
const anyObject: JsonObject = { type: 'object' }

const shape = (properties: Readonly<Record<string, JsonObject>>): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

/** JSON Schema of one action with these tools and agents: what a server is asked to hold the model to. Each key is required, in this order, so that nothing is left open. */
export function toActionJsonSchema(
  tools: readonly ToolDefinition[],
  agents: readonly AgentTarget[],
  output?: JsonObject,
): JsonObject {
  const branches = [
    ...tools.map(({ name, parameters }) =>
      shape({ type: { const: 'tool_call' }, tool: { const: name }, args: toArgs(parameters) }),
    ),
    ...agents.flatMap((agent) => [
      shape({ type: { const: 'agent_call' }, agent: { const: agent.name }, action: { const: 'infer' }, prompt: text }),
      ...(agent.tools ?? []).map((tool) =>
        shape({
          type: { const: 'agent_call' },
          agent: { const: agent.name },
          action: { const: 'tool_call' },
          tool: { const: tool.name },
          args: toArgs(tool.parameters),
        }),
      ),
    ]),
    shape({ type: { const: 'final' }, content: (output && toNested(output)) ?? text }),
  ]
  return branches.length === 1 ? (branches[0] as JsonObject) : { anyOf: branches }
}

const toArgs = (parameters: JsonObject | undefined): JsonObject =>
  parameters ? (toNested(parameters) ?? anyObject) : { ...anyObject, properties: {}, additionalProperties: false }

/** A schema fit to stand inside another one; undefined when it refers to its own root, which would then be another. */
function toNested({ $schema: _dialect, ...schema }: JsonObject): JsonObject | undefined {
  return /"\$(ref|id|anchor|dynamicRef|defs)":/.test(JSON.stringify(schema)) ? undefined : schema
}
