import { type Provider, parseBaseUrl } from '@modelport/core'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createBedrock } from '@modelport/provider-bedrock'
import { createGoogle } from '@modelport/provider-google'
import { createOllama } from '@modelport/provider-ollama'
import { createOpenAI } from '@modelport/provider-openai'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { converse } from './conversation.ts'
import { startOfflineModel } from './offline-model.ts'

const prompt = 'What is the weather in Paris, and what is 12 plus 30?'
const {
  MODELPORT_BASE_URL: realUrl,
  MODELPORT_API_KEY: realKey,
  MODELPORT_MODEL: realModel = 'default',
} = process.env

const print = (text: string): void => {
  process.stdout.write(text)
}

/** Runs the conversation through one provider, which may contact its own host and no other. */
async function show(
  title: string,
  provider: Provider,
  host: string,
  question = prompt,
): Promise<void> {
  print(`\n── ${title} ──\n> ${question}\n`)
  const usage = await converse(provider, question, print)
  print(
    `  ${usage.inputTokens} tokens in, ${usage.outputTokens} out, ${usage.turns.length} turns; allowed to contact: ${host}\n`,
  )
}

if (process.argv.includes('--local')) {
  const { createLocalModel, prompts } = await import('./local-model.ts')
  const provider = createLocalModel(process.env['MODELPORT_MODEL_PATH'])
  for (const question of prompts)
    await show(`${provider.model}, in this process`, provider, 'no host', question)
  await provider.close()
} else if (realUrl !== undefined) {
  const provider = createOpenAICompatible({
    model: realModel,
    baseUrl: realUrl,
    enforceHosts: true,
    ...(realKey && { apiKey: realKey }),
  })
  await show(`${realModel} at ${realUrl}`, provider, parseBaseUrl(realUrl).host)
} else {
  const server = await startOfflineModel()
  const { host } = parseBaseUrl(server.url)
  const common = { apiKey: 'no-key-needed', enforceHosts: true } as const
  const providers: readonly (readonly [string, Provider])[] = [
    [
      'OpenAI-compatible, Chat Completions, no SDK',
      createOpenAICompatible({ ...common, model: 'offline', baseUrl: `${server.url}/v1` }),
    ],
    ['Anthropic, Messages', createAnthropic({ ...common, model: 'offline', baseUrl: server.url })],
    [
      'OpenAI, Responses',
      createOpenAI({ ...common, model: 'offline', baseUrl: `${server.url}/v1`, api: 'responses' }),
    ],
    [
      'Amazon Bedrock, Converse',
      createBedrock({ ...common, model: 'offline', region: 'us-east-1', baseUrl: server.url }),
    ],
    ['Google, Gemini', createGoogle({ ...common, model: 'offline', baseUrl: server.url })],
    [
      'Ollama, its own API',
      createOllama({ model: 'offline', baseUrl: server.url, enforceHosts: true }),
    ],
  ]
  print(
    `No MODELPORT_BASE_URL is set: talking to a server on this machine that speaks each vendor's wire format.\n`,
  )
  for (const [title, provider] of providers) await show(title, provider, host)
  await server.close()
}
