// A program for a sandbox: holds a conversation with a tool through each provider that stdin
// names, and prints the outcome of each.

import process from 'node:process'
import { text } from 'node:stream/consumers'
import type { ToolCall } from '@modelport/core'
import { apiHosts, diagnose, hostPort, type ModelConfig, newProvider } from '@modelport/factory'

/** What to talk to. */
export interface EgressJob {
  readonly name: string
  readonly config: ModelConfig
  /** A recording to be answered from, instead of a server. */
  readonly cassette?: string
}

/** What came of it. */
export interface EgressOutcome {
  readonly name: string
  /** `host:port` of each host that is declared for the configuration. */
  readonly declared: readonly string[]
  readonly text?: string
  readonly calls?: number
  readonly error?: {
    readonly code: string | undefined
    readonly message: string
    readonly problem: string
    readonly fix: string
    readonly missingHost: string | undefined
  }
}

const question = 'What is the weather in Oslo?'
const tools = [
  {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
] as const

async function converse({ config, cassette }: EgressJob): Promise<{ text: string; calls: number }> {
  const fetch =
    cassette === undefined
      ? undefined
      : await (await import('@modelport/provider-mock/node')).cassetteFetch({
          path: cassette,
          mode: 'replay',
        })
  const provider = await newProvider({ ...config, ...(fetch && { fetch }) })
  const reader = await provider.streamWithTools([{ role: 'user', content: question }], tools, {
    maxTokens: 100,
    temperature: 0,
    retry: { attempts: 1 },
  })
  let calls: ToolCall[] = []
  let count = 0
  for await (const event of reader) {
    if (event.type === 'tool-call-complete') calls.push(event.toolCall)
    if (event.type !== 'turn-end' || calls.length === 0) continue
    count += calls.length
    await reader.sendToolResults(calls.map(({ id }) => ({ callId: id, content: '-4 °C, snow' })))
    calls = []
  }
  return { text: reader.fullText(), calls: count }
}

for (const job of JSON.parse(await text(process.stdin)) as EgressJob[]) {
  const outcome: EgressOutcome = { name: job.name, declared: apiHosts(job.config).map(hostPort) }
  try {
    console.log(JSON.stringify({ ...outcome, ...(await converse(job)) }))
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    console.log(
      JSON.stringify({
        ...outcome,
        error: { code, message, missingHost: undefined, ...diagnose(error) },
      }),
    )
  }
}
