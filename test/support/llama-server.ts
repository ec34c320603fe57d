import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type {
  Provider,
  StreamEvent,
  ToolCall,
  ToolDefinition,
  ToolResult,
  ToolStreamReader,
} from '@modelport/core'
import { expect } from 'vitest'

/** A llama.cpp server that runs. */
export interface LlamaServer {
  /** Base URL, without `/v1`. */
  readonly url: string
  /** What it has written so far. */
  log(): string
  stop(): void
}

const folder =
  process.env['LLAMA_SERVER_HOME'] ??
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'modelport-llama-server')
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
/**
 * `SCRIPT start MODEL PORT FLAG…` starts a server and `SCRIPT stop PORT` ends it; status 3 where
 * the machine cannot have one.
 */
const script = process.env['MODELPORT_LLAMA_SERVER'] ?? here('../../../shared/tools/llama-server')
const model = here('../../packages/provider-llamacpp/test/fixtures/tinytool.gguf')
let started = 0

/**
 * Starts a real llama.cpp server with the small model, or says why it cannot and returns undefined.
 * The first start on a machine fetches the server. Stop it in `afterAll`; it is stopped with the
 * process at the latest.
 * @param flags of `llama-server`, for example `['--api-key', 'secret']`
 * @param port one of its own for each process and server by default
 */
export function startLlamaServer(
  flags: readonly string[] = [],
  port?: number,
): LlamaServer | undefined {
  if (!existsSync(script)) {
    console.log('skipped: MODELPORT_LLAMA_SERVER names no command that starts a llama.cpp server')
    return undefined
  }
  for (let attempt = 1; ; attempt++) {
    const number = port ?? 20_000 + ((process.pid * 7 + started++) % 12_000)
    const { status, stderr } = spawnSync(
      script,
      ['start', model, String(number), '--alias', 'tinytool', ...flags],
      {
        encoding: 'utf8',
      },
    )
    if (status === 0) return running(number)
    if (status === 3) {
      console.log('skipped: this machine cannot have a llama.cpp server')
      return undefined
    }
    // Another process may have the port.
    if (port !== undefined || attempt === 3)
      throw new Error(`llama-server did not start: ${stderr}`)
  }
}

function running(port: number): LlamaServer {
  let runs = true
  const stop = (): void => {
    if (runs) spawnSync(script, ['stop', String(port)])
    runs = false
  }
  process.once('exit', stop)
  return {
    url: `http://127.0.0.1:${port}`,
    log: () => readFileSync(join(folder, `${port}.log`), 'utf8'),
    stop,
  }
}

/** What the small model says to `Send an emoji`: characters of one to several bytes. */
export const emojiAnswer = 'Here you go: 🎉 😀 👩‍🚀 café naïve 日本語 ✓'

/** Streams that reply, which has to come in pieces and to be counted. */
export async function streamEmoji(provider: Provider): Promise<void> {
  const reader = await provider.stream('Send an emoji')
  const pieces: string[] = []
  for await (const piece of reader) pieces.push(piece)
  expect(pieces.length).toBeGreaterThan(5)
  expect([pieces.join(''), reader.fullText(), reader.finishReason()]).toEqual([
    emojiAnswer,
    emojiAnswer,
    'stop',
  ])
  expect(reader.usage()).toMatchObject({ reported: true, turns: [{}] })
  expect(reader.usage().inputTokens).toBeGreaterThan(0)
  expect(reader.usage().outputTokens).toBeGreaterThan(5)
}

/** A tool that the small model knows. */
export const weather: ToolDefinition = {
  name: 'get_weather',
  description: 'Weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

/** Has the small model call its tool twice at once, answers with `answer`, and reads to the end. */
export async function askTwoCities(
  provider: Provider,
  answer: (calls: readonly ToolCall[]) => readonly ToolResult[],
): Promise<{ readonly reader: ToolStreamReader; readonly events: readonly StreamEvent[] }> {
  const reader = await provider.streamWithTools(
    [{ role: 'user', content: 'What is the weather in Paris and in Rome?' }],
    [weather],
  )
  const events: StreamEvent[] = []
  for await (const event of reader) {
    events.push(event)
    if (event.type !== 'turn-end' || event.reason !== 'tool-calls') continue
    const calls = events.flatMap((one) => (one.type === 'tool-call-complete' ? [one.toolCall] : []))
    expect(calls.map(({ name, arguments: values }) => [name, values])).toEqual([
      ['get_weather', { city: 'Paris' }],
      ['get_weather', { city: 'Rome' }],
    ])
    await reader.sendToolResults(answer(calls))
  }
  return { reader, events }
}
