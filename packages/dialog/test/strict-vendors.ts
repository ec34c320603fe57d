import { openaiChat, type WireFormat, type WireRequest } from '@modelport/conformance'
import type { ChatMessage, Provider } from '@modelport/core'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createBedrock } from '@modelport/provider-bedrock'
import { createGoogle } from '@modelport/provider-google'
import { createOllama } from '@modelport/provider-ollama'
import { createOpenAI } from '@modelport/provider-openai'
import {
  anthropicMessages,
  bedrockConverse,
  gemini,
  ollamaChat,
  openaiResponses,
} from '@modelport/test-formats'

const apiKey = 'dialog-key-0123456789'
const defaults = { retry: { attempts: 1 } }

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

const vendors: readonly (readonly [string, WireFormat, (fetch: Fetch) => Provider])[] = [
  [
    'anthropic',
    anthropicMessages,
    (fetch) => createAnthropic({ model: 'claude-sonnet-4-5', apiKey, defaults, fetch }),
  ],
  [
    'responses',
    openaiResponses,
    (fetch) => createOpenAI({ model: 'gpt-5.4', apiKey, api: 'responses', defaults, fetch }),
  ],
  [
    'chat',
    openaiChat,
    (fetch) => createOpenAI({ model: 'gpt-4.1', apiKey, api: 'chat', defaults, fetch }),
  ],
  [
    'bedrock',
    bedrockConverse,
    (fetch) =>
      createBedrock({
        model: 'us.anthropic.claude-sonnet-4-6',
        region: 'us-east-1',
        apiKey,
        defaults,
        fetch,
      }),
  ],
  [
    'google',
    gemini,
    (fetch) => createGoogle({ model: 'gemini-3-flash-preview', apiKey, defaults, fetch }),
  ],
  ['ollama', ollamaChat, (fetch) => createOllama({ model: 'llama3', defaults, fetch })],
]

/**
 * What the rules of each vendor's API say about a request with these messages; the conversation
 * continues with a user message where it ends with the model's.
 */
export async function strictProblems(messages: readonly ChatMessage[]): Promise<readonly string[]> {
  const last = messages.at(-1)
  const sent: readonly ChatMessage[] =
    last?.role === 'assistant' ? [...messages, { role: 'user', content: 'Continue.' }] : messages
  const found: string[] = []
  for (const [name, format, create] of vendors) {
    let request: WireRequest | undefined
    const provider = create(async (input, init = {}) => {
      const asked = new Request(input, init)
      const { pathname, search } = new URL(asked.url)
      const body: unknown = JSON.parse(await asked.text())
      request = {
        method: asked.method,
        path: pathname + search,
        headers: Object.fromEntries(asked.headers),
        body,
      }
      return new Response('{}', { status: 400 })
    })
    await provider.generate(sent).catch((error: unknown) => {
      if (!request) found.push(`${name}: nothing was sent: ${String(error)}`)
    })
    if (request)
      found.push(...format.violations(request).map((violation) => `${name}: ${violation}`))
  }
  return found
}
