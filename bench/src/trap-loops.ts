import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { defineTool, type InferRequest, infer } from '@modelport/runtime'
import {
  Agent,
  tool as agentTool,
  OpenAIChatCompletionsModel,
  run,
  setTracingDisabled,
} from '@openai/agents'
import { tool as sdkTool, ToolLoopAgent } from 'ai'
import { OpenAI } from 'openai'
import { z } from 'zod'

/** The tools of a trap, by name. */
export interface TrapTools {
  readonly search: () => string
  readonly broken: () => string
}

/** What a loop is given. */
export interface TrapRun {
  readonly baseUrl: string
  readonly tools: TrapTools
  readonly signal: AbortSignal
}

/** A loop to be trapped; `run` says how it ended. */
export interface Loop {
  readonly name: string
  run(trap: TrapRun): Promise<string>
}

const apiKey = 'bench-key-0000'
const model = 'trap'
const prompt = 'What is the weather?'
const descriptions = { search: 'Searches the web', broken: 'A tool that is out of order' } as const
const parameters = z.object({ query: z.string() })
const names = ['search', 'broken'] as const

const modelport = (name: string, request: Partial<InferRequest>): Loop => ({
  name,
  run: async ({ baseUrl, tools, signal }) => {
    const provider = createOpenAICompatible({ model, apiKey, baseUrl })
    const defined = names.map((each) =>
      defineTool({
        name: each,
        description: descriptions[each],
        parameters,
        execute: () => tools[each](),
      }),
    )
    const result = await infer(provider, { query: prompt, tools: defined, signal, ...request })
    return result.status === 'limit'
      ? `limit \`${result.limit}\``
      : result.status === 'final'
        ? 'taken as the reply'
        : result.status
  },
})

setTracingDisabled(true)
// It says what the table says.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

/** Each at its defaults: nothing is set that stops it. */
export const loops: readonly Loop[] = [
  modelport('modelport `infer`', {}),
  modelport('modelport `infer`, JSON mode', { mode: 'json' }),
  {
    name: 'AI SDK `ToolLoopAgent`',
    run: async ({ baseUrl, tools, signal }) => {
      const agent = new ToolLoopAgent({
        model: createOpenAI({ apiKey, baseURL: baseUrl }).chat(model),
        tools: {
          search: sdkTool({
            description: descriptions.search,
            inputSchema: parameters,
            execute: () => tools.search(),
          }),
          broken: sdkTool({
            description: descriptions.broken,
            inputSchema: parameters,
            execute: () => tools.broken(),
          }),
        },
      })
      const { text, steps } = await agent.generate({ prompt, abortSignal: signal })
      return text ? 'taken as the reply' : `ends without a reply after ${steps.length} steps`
    },
  },
  {
    name: 'Agents JS `run`',
    run: async ({ baseUrl, tools, signal }) => {
      const defined = names.map((each) =>
        agentTool({
          name: each,
          description: descriptions[each],
          parameters,
          execute: () => tools[each](),
        }),
      )
      const agent = new Agent({
        name: 'trap',
        instructions: '',
        model: new OpenAIChatCompletionsModel(new OpenAI({ apiKey, baseURL: baseUrl }), model),
        tools: defined,
      })
      const { finalOutput } = await run(agent, prompt, { signal })
      return finalOutput ? 'taken as the reply' : 'ends without a reply'
    },
  },
]
