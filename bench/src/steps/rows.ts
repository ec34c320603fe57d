import type { ChatMessage, Provider } from '@modelport/core'
import type { streamText } from 'ai'

const parameters = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
}
const description = 'The weather of a city'
const execute = ({ city }: { readonly city: string }): string => `28 °C in ${city}`

/** Runs one loop and returns its last text. */
export type Loop = (baseUrl: string) => Promise<string>

/** The rows that take no tools: they are measured for one step only. */
export const rowsOfOneStep: readonly string[] = ['stream']

/** What is measured, by its name. */
export const rows: Readonly<Record<string, () => Promise<Loop>>> = {
  floor: byHand,
  ...modelport('stream', 'streamWithTools', 'infer', 'infer, JSON'),
  'AI SDK streamText': async () => {
    const { streamText } = await import('ai')
    const settings = await settingsOfAiSdk()
    return async (baseUrl) => await streamText(settings(baseUrl)).text
  },
  ...modelport('generate'),
  'AI SDK generateText': async () => {
    const { generateText } = await import('ai')
    const settings = await settingsOfAiSdk()
    return async (baseUrl) => (await generateText(settings(baseUrl))).text
  },
  LangGraph: langGraph,
  'Agents JS': async () => {
    const { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } = await import(
      '@openai/agents'
    )
    const { OpenAI } = await import('openai')
    setTracingDisabled(true)
    const weather = tool({
      name: 'weather',
      description,
      strict: false,
      parameters: parameters as never,
      execute: execute,
    })
    const make = perAddress((baseURL) => {
      const client = new OpenAI({ apiKey: 'key-of-the-bench', baseURL, maxRetries: 0 })
      const model = new OpenAIChatCompletionsModel(client, 'bench')
      return new Agent({ name: 'bench', instructions: '', model, tools: [weather] })
    })
    return async (baseUrl) => {
      const result = await run(make(baseUrl), 'How warm?', { stream: true, maxTurns: 200 })
      await result.completed
      return String(result.finalOutput)
    }
  },
}

async function langGraph(): Promise<Loop> {
  const { createReactAgent } = await import('@langchain/langgraph/prebuilt')
  const { ChatOpenAI } = await import('@langchain/openai')
  const { tool } = await import('@langchain/core/tools')
  const weather = tool((input) => execute(input as { city: string }), {
    name: 'weather',
    description,
    schema: parameters,
  })
  const make = perAddress((baseURL) => {
    const llm = new ChatOpenAI({
      model: 'bench',
      apiKey: 'key-of-the-bench',
      maxRetries: 0,
      configuration: { baseURL },
    })
    // oxlint-disable-next-line typescript/no-deprecated -- LangGraph's own; what replaces it belongs to LangChain
    return createReactAgent({ llm, tools: [weather] })
  })
  return async (baseUrl) => {
    const input = { messages: [{ role: 'user', content: 'How warm?' }] }
    let text = ''
    for await (const [message] of await make(baseUrl).stream(input, {
      streamMode: 'messages',
      recursionLimit: 500,
    }))
      text = message.type === 'ai' ? text + message.text : ''
    return text
  }
}

/** What the rows of modelport use of it. */
export interface Modelport {
  readonly createOpenAICompatible: typeof import('@modelport/provider-openai-compatible').createOpenAICompatible
  readonly defineTool: typeof import('@modelport/runtime').defineTool
  readonly infer: typeof import('@modelport/runtime').infer
}

/** The rows of modelport, as it is installed. */
function modelport(...names: readonly string[]): Readonly<Record<string, () => Promise<Loop>>> {
  const load = async (name: string): Promise<Loop> => {
    const [provider, runtime] = await Promise.all([
      import('@modelport/provider-openai-compatible'),
      import('@modelport/runtime'),
    ])
    const loop = modelportRows({ ...provider, ...runtime })[name]
    if (!loop) throw new Error(`there is no row "${name}"`)
    return loop
  }
  return Object.fromEntries(names.map((name) => [name, () => load(name)]))
}

/** The rows of modelport, by its modules: of any commit. */
export function modelportRows({
  createOpenAICompatible,
  defineTool,
  infer,
}: Modelport): Readonly<Record<string, Loop>> {
  const make = perAddress(
    (baseUrl): Provider =>
      createOpenAICompatible({ model: 'bench', apiKey: 'key-of-the-bench', baseUrl }),
  )
  const definitions = [{ name: 'weather', description, parameters }]
  const tools = [defineTool({ name: 'weather', description, parameters, execute })]
  const inferring =
    (mode: 'native' | 'json'): Loop =>
    async (baseUrl) => {
      const messages = [{ role: 'user', content: 'How warm?' }] as const
      const limits = { maxSteps: 200 }
      const result = await infer(make(baseUrl), { messages, tools, mode, limits })
      if (result.status !== 'final') throw new Error(JSON.stringify(result))
      return result.text
    }
  return {
    infer: inferring('native'),
    'infer, JSON': inferring('json'),
    stream: async (baseUrl) => {
      let text = ''
      for await (const delta of await make(baseUrl).stream('How warm?')) text += delta
      return text
    },
    streamWithTools: async (baseUrl) => {
      const question = { role: 'user', content: 'How warm?' } as const
      const reader = await make(baseUrl).streamWithTools([question], definitions)
      let text = ''
      for await (const event of reader) {
        if (event.type === 'text-delta') text += event.text
        if (event.type === 'tool-call-complete')
          await reader.sendToolResults([
            {
              callId: event.toolCall.id,
              content: execute(event.toolCall.arguments as { city: string }),
            },
          ])
      }
      return text
    },
    generate: async (baseUrl) => {
      const messages: ChatMessage[] = [{ role: 'user', content: 'How warm?' }]
      for (;;) {
        const { text, toolCalls, message } = await make(baseUrl).generate(messages, {
          tools: definitions,
        })
        if (toolCalls.length === 0) return text
        messages.push(message)
        for (const { id, name, arguments: args } of toolCalls)
          messages.push({
            role: 'tool',
            toolCallId: id,
            toolName: name,
            content: execute(args as { city: string }),
          })
      }
    },
  }
}

async function settingsOfAiSdk(): Promise<
  (baseUrl: string) => Parameters<typeof streamText>[0] & { prompt: string }
> {
  const { jsonSchema, stepCountIs, tool } = await import('ai')
  const { createOpenAI } = await import('@ai-sdk/openai')
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
  const inputSchema = jsonSchema<{ city: string }>(parameters)
  const tools = { weather: tool({ description, inputSchema, execute }) }
  return perAddress((baseURL) => {
    const model = createOpenAI({ apiKey: 'key-of-the-bench', baseURL }).chat('bench')
    return { model, prompt: 'How warm?', tools, stopWhen: stepCountIs(200), maxRetries: 0 } as never
  })
}

/** Keeps what it made for an address. */
function perAddress<Value>(make: (baseUrl: string) => Value): (baseUrl: string) => Value {
  const made = new Map<string, Value>()
  return (baseUrl) => {
    const value = made.get(baseUrl) ?? make(baseUrl)
    made.set(baseUrl, value)
    return value
  }
}

interface Delta {
  readonly content?: string
  readonly tool_calls?: readonly {
    readonly id?: string
    readonly function: { readonly name?: string; readonly arguments: string }
  }[]
}

async function byHand(): Promise<Loop> {
  const { split } = await import('../floor.ts')
  return async (baseUrl) => {
    const messages: unknown[] = [{ role: 'user', content: 'How warm?' }]
    const tools = [{ type: 'function', function: { name: 'weather', description, parameters } }]
    for (;;) {
      let text = ''
      let call: { id: string; name: string; args: string } | undefined
      await split(
        `${baseUrl}/chat/completions`,
        JSON.stringify({ model: 'bench', stream: true, messages, tools }),
        (event) => {
          const delta = (event as { choices: readonly { delta: Delta }[] }).choices[0]?.delta
          text += delta?.content ?? ''
          for (const part of delta?.tool_calls ?? []) {
            if (part.id) call = { id: part.id, name: part.function.name ?? '', args: '' }
            if (call) call.args += part.function.arguments
          }
        },
      )
      if (!call) return text
      const { id, name, args } = call
      messages.push(
        {
          role: 'assistant',
          content: text,
          tool_calls: [{ id, type: 'function', function: { name, arguments: args } }],
        },
        { role: 'tool', tool_call_id: id, content: execute(JSON.parse(args) as { city: string }) },
      )
    }
  }
}
