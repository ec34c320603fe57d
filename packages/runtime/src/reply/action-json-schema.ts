import type { JsonObject, ToolDefinition } from '@modelport/core'
import type { AgentTarget } from '../tools/agent-target.js'

const text: JsonObject = { type: 'string', minLength: 1 }
const anyObject: JsonObject = { type: 'object' }

/** `thought` is optional and comes first, so that a model can think before it decides. */
const shape = (properties: Readonly<Record<string, JsonObject>>): JsonObject => ({
  type: 'object',
  properties: { thought: { type: 'string' }, ...properties },
  required: Object.keys(properties),
  additionalProperties: false,
})

/**
 * Writes the JSON Schema that a server holds the model to: one action with these tools and agents.
 * Every key but `thought` is required.
 */
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
      shape({
        type: { const: 'agent_call' },
        agent: { const: agent.name },
        action: { const: 'infer' },
        prompt: text,
      }),
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
  parameters
    ? (toNested(parameters) ?? anyObject)
    : { ...anyObject, properties: {}, additionalProperties: false }

/**
 * A schema that can stand inside another one; undefined if it refers to its own root, which would
 * change.
 */
function toNested({ $schema: _dialect, ...schema }: JsonObject): JsonObject | undefined {
  return /"\$(ref|id|anchor|dynamicRef|defs)":/.test(JSON.stringify(schema)) ? undefined : schema
}
