import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * `node src/steps.ts [rounds] [calls]`: what one model call costs in a loop of 1, 5, 20 and 100 steps. Every step but the last calls one tool; a reply is
 * 16 events. Each row is a process of its own that makes `calls` model calls a round; rounds are interleaved, and each ratio is taken within its round.
 * The floor is the same loop by hand, on undici and `JSON.parse`.
 */
const [, , role = '7', callsOfRound = '400'] = process.argv
const lengths = [1, 5, 20, 100] as const
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const description = 'The weather of a city'
const final = 'It is warm in all of these cities today.'
const execute = ({ city }: { readonly city: string }): string => `28 °C in ${city}`

/** Runs one loop and returns its last text. */
type Loop = (baseUrl: string) => Promise<string>

const rows: Readonly<Record<string, () => Promise<Loop>>> = {
  floor: byHand,
  streamWithTools: async () => {
    const { createOpenAICompatible } = await import('@modelport/provider-openai-compatible')
    const make = perAddress((baseUrl) =>
      createOpenAICompatible({ model: 'bench', apiKey: 'key-of-the-bench', baseUrl }),
    )
    return async (baseUrl) => {
      const reader = await make(baseUrl).streamWithTools(
        [{ role: 'user', content: 'How warm?' }],
        [{ name: 'weather', description, parameters }],
      )
      let text = ''
      for await (const event of reader) {
        if (event.type === 'text-delta') text += event.text
        if (event.type === 'tool-call-complete')
          await reader.sendToolResults([
            { callId: event.toolCall.id, content: execute(event.toolCall.arguments as { city: string }) },
          ])
      }
      return text
    }
  },
  infer: async () => {
    const { createOpenAICompatible } = await import('@modelport/provider-openai-compatible')
    const { defineTool, infer } = await import('@modelport/runtime')
    const make = perAddress((baseUrl) =>
      createOpenAICompatible({ model: 'bench', apiKey: 'key-of-the-bench', baseUrl }),
    )
    const tools = [defineTool({ name: 'weather', description, parameters, execute: execute })]
    return async (baseUrl) => {
      const result = await infer(make(baseUrl), {
        messages: [{ role: 'user', content: 'How warm?' }],
        tools,
        limits: { maxSteps: 200 },
      })
      if (result.status !== 'final') throw new Error(JSON.stringify(result))
      return result.text
    }
  },
  'AI SDK streamText': async () => {
    const { jsonSchema, stepCountIs, streamText, tool } = await import('ai')
    const { createOpenAI } = await import('@ai-sdk/openai')
    Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
    const make = perAddress((baseURL) => createOpenAI({ apiKey: 'key-of-the-bench', baseURL }).chat('bench'))
    const tools = {
      weather: tool({ description, inputSchema: jsonSchema<{ city: string }>(parameters as never), execute }),
    }
    return async (baseUrl) => {
      const result = streamText({
        model: make(baseUrl),
        messages: [{ role: 'user', content: 'How warm?' }],
        tools,
        stopWhen: stepCountIs(200),
        maxRetries: 0,
      })
      return result.text
    }
  },
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
  const { split } = await import('./floor.ts')
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

/** Chat Completions: the path says how many steps a loop has. */
async function serveModel(): Promise<string> {
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'bench', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  const pieces = (text: string): string[] => {
    const size = Math.ceil(text.length / 14)
    return Array.from({ length: 14 }, (_, index) => text.slice(index * size, (index + 1) * size))
  }
  const call = (id: number): string => {
    const start = { id: `call_${id}`, type: 'function', function: { name: 'weather', arguments: '' } }
    const args = pieces(JSON.stringify({ city: `City ${id} with quite a long name` }))
    return [
      chunk({ role: 'assistant', content: null, tool_calls: [{ index: 0, ...start }] }),
      ...args.map((part) => chunk({ tool_calls: [{ index: 0, function: { arguments: part } }] })),
      chunk({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ].join('')
  }
  const end = [
    chunk({ role: 'assistant', content: '' }),
    ...pieces(final).map((content) => chunk({ content })),
    chunk({}, 'stop'),
    'data: [DONE]\n\n',
  ].join('')
  const server = createServer((incoming, outgoing) => {
    let body = ''
    incoming.setEncoding('utf8').on('data', (text: string) => (body += text))
    incoming.on('end', () => {
      const steps = Number(/\/(\d+)\//.exec(incoming.url ?? '')?.[1])
      const done = body.split('"role":"tool"').length
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
      outgoing.end(done < steps ? call(done) : end)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN

/** Asks a row's process to run loops. @returns what they used. */
async function ask(child: ChildProcess, question: object): Promise<{ readonly cpu: number; readonly heap: number }> {
  child.send(question)
  const [answer] = (await once(child, 'message')) as [{ cpu: number; heap: number; error?: string }]
  if (answer.error) throw new Error(answer.error)
  return answer
}

async function measure(): Promise<void> {
  const children: Record<string, ChildProcess> = {}
  const file = new URL(import.meta.url)
  const server = fork(file, ['server'])
  const [url] = (await once(server, 'message')) as [string]
  for (const name of Object.keys(rows)) {
    const child = fork(file, [name], { execArgv: ['--expose-gc'] })
    await once(child, 'message')
    children[name] = child
  }
  const table: string[] = []
  for (const steps of lengths) {
    const question = { url: `${url}/${steps}/v1`, loops: Math.max(1, Math.round(Number(callsOfRound) / steps)) }
    const costs: Record<string, number[]> = {}
    for (const child of Object.values(children)) await ask(child, question)
    for (let round = 0; round < Number(role); round++)
      for (const [name, child] of round % 2 ? Object.entries(children) : Object.entries(children).toReversed())
        (costs[name] ??= []).push((await ask(child, question)).cpu / question.loops / steps)
    for (const [name, own] of Object.entries(costs)) {
      const times = median(own.map((cost, round) => cost / (costs['floor']?.[round] ?? NaN)))
      const spread = (Math.max(...own) - Math.min(...own)) / median(own)
      table.push(
        `| ${name} | ${steps} | ${median(own).toFixed(0)} µs | ${times.toFixed(2)} | ${(spread * 100).toFixed(0)} % |`,
      )
    }
  }
  console.log('| row | steps | CPU a call | times floor | spread |\n|---|--:|--:|--:|--:|')
  console.log(table.join('\n'))
  console.log('\n| row | heap after a collection |\n|---|--:|')
  for (const [name, child] of Object.entries(children)) {
    const { heap } = await ask(child, { url: '', loops: 0 })
    console.log(`| ${name} | ${(heap / 2 ** 20).toFixed(1)} MB |`)
    child.kill()
  }
  server.kill()
}

async function answer(loop: Loop, { url, loops }: { readonly url: string; readonly loops: number }): Promise<object> {
  const before = process.cpuUsage()
  for (let index = 0; index < loops; index++) {
    const text = await loop(url)
    if (text !== final) throw new Error(`the loop returned ${JSON.stringify(text)}`)
  }
  const { user, system } = process.cpuUsage(before)
  globalThis.gc?.()
  return { cpu: user + system, heap: process.memoryUsage().heapUsed }
}

if (role === 'server') process.send?.(await serveModel())
else if (rows[role]) {
  const loop = await rows[role]()
  process.on('message', (question: { url: string; loops: number }) => {
    answer(loop, question).then(
      (result) => process.send?.(result),
      (error: unknown) => process.send?.({ error: String(error) }),
    )
  })
  process.send?.('ready')
} else await measure()
process.once('disconnect', () => process.exit())
