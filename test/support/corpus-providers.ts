import { isLlmError, type Provider } from '@modelport/core'
import type { Fetch } from '@modelport/driver'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createGoogle } from '@modelport/provider-google'
import { createOllama } from '@modelport/provider-ollama'
import { createOpenAI } from '@modelport/provider-openai'
import { createPreset, type PresetName } from '@modelport/provider-openai-compatible'
import type { CorpusCase } from './corpus.js'

/** The preset of a recorded vendor; the other servers have none. */
const presetOf: Readonly<Record<string, PresetName>> = {
  alibaba: 'alibaba',
  cerebras: 'cerebras',
  deepseek: 'deepseek',
  groq: 'groq',
  huggingface: 'huggingface',
  'llama.cpp': 'llamacpp-server',
  mistral: 'mistral',
  moonshotai: 'moonshot',
  openrouter: 'openrouter',
  perplexity: 'perplexity',
  together: 'together',
  vllm: 'vllm',
  xai: 'grok',
  zai: 'zai',
}

/**
 * The row of a case. Replies of OpenRouter, which other recorders name by its API, have such ids.
 */
const rowOf = ({ vendor, response }: CorpusCase): PresetName =>
  response.body.includes('"id":"gen-') ? 'openrouter' : (presetOf[vendor] ?? 'openai-compatible')

/** A provider that decodes a recorded exchange of any API. */
export function providerOf(recorded: CorpusCase, fetch: Fetch): Provider {
  const model = [recorded.request.body.model].find(Boolean) ?? 'recorded'
  const config = { model, fetch, apiKey: 'sk-recorded-1' }
  switch (recorded.api) {
    case 'anthropic-messages':
      return createAnthropic(config)
    case 'gemini':
      return createGoogle(config)
    case 'ollama-chat':
      return createOllama(config)
    case 'openai-responses':
      return createOpenAI({ ...config, api: 'responses' })
    default:
      return createPreset(rowOf(recorded), config)
  }
}

/** Everything that a caller of the provider can see of one exchange, as plain JSON. */
export async function visible(
  provider: Provider,
  streaming: boolean | undefined,
): Promise<unknown> {
  const prompt = [{ role: 'user' as const, content: '(recorded)' }]
  const options = { retry: { attempts: 1 } }
  const events: unknown[] = []
  try {
    if (!streaming) return await provider.generate(prompt, options)
    const reader = await provider.streamWithTools(prompt, [], options)
    for await (const event of reader) events.push(event)
    return {
      events,
      details: reader.details(),
      messages: reader.messages().slice(1),
      usage: reader.usage(),
    }
  } catch (error) {
    if (!isLlmError(error)) throw error
    return { events, error: error.message, facts: { ...(error as object) } }
  }
}
