import { LlmError, type ToolDefinition } from '@modelport/core'

/** Deepest nesting that is sent: whoever writes JSON, here or in an SDK, has a stack, and it overflows some thousands deeper. */
const mostLevels = 256

/** @throws {LlmError} `invalid-request` — names the tool whose parameters are nested too deeply, or hold themselves. */
export function checkDepth(tools: readonly ToolDefinition[]): void {
  const look = (tool: string, value: unknown, levels: number): void => {
    if (!levels) throw new LlmError('invalid-request', `the parameters of "${tool}" are nested deeper than ${mostLevels}`)
    if (typeof value === 'object') for (const inner of Object.values(value ?? {})) look(tool, inner, levels - 1)
  }
  for (const { name, parameters } of tools) look(name, parameters, mostLevels)
}
