import { defineTool, type Tool } from '@modelport/runtime'
import type { LocalTool } from './tool-module.js'

/** A tool of the user's module as the loop takes it. */
export const toLoopTool = (tool: LocalTool): Tool =>
  defineTool({
    ...tool.definition,
    ...(tool.timeoutMs !== undefined && { timeoutMs: tool.timeoutMs }),
    execute: async (args, { callId, step, signal }) => tool.execute(await tool.check(args), { callId, step, signal }),
  })
