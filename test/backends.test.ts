// The backends that Protolink names, made by the factory: their names and addresses, and how
// `infer` asks for tools without a profile.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describeProvider } from '@modelport/core'
import { apiHost, newProvider } from '@modelport/factory'
import { defineTool, infer } from '@modelport/runtime'
import { describe, expect, onTestFinished, test } from 'vitest'

const apiKey = 'k-backends-1234567890'
const context = { environment: () => undefined }

describe('a backend of Protolink', () => {
  test.each([
    ['openai', 'openai', 'api.openai.com:443', true],
    ['anthropic', 'anthropic', 'api.anthropic.com:443', true],
    ['gemini', 'google', 'generativelanguage.googleapis.com:443', true],
    ['deepseek', 'deepseek', 'api.deepseek.com:443', true],
    ['grok', 'grok', 'api.x.ai:443', true],
    ['huggingface', 'huggingface', 'router.huggingface.co:443', 'by-model'],
    ['ollama', 'ollama', 'localhost:11434', 'by-model'],
    ['llama.cpp-server', 'llamacpp-server', 'localhost:8080', 'by-model'],
    ['openai-compatible', 'openai-compatible', 'localhost:1234', 'by-model'],
    ['lmstudio', 'lmstudio', 'localhost:1234', 'by-model'],
    ['vllm', 'vllm', 'localhost:8000', 'by-model'],
    ['llama.cpp-local', 'llamacpp', '', 'by-model'],
  ])(
    '%s is the provider %s at %j, with tools of its API: %s',
    async (name, provider, host, tools) => {
      const config = {
        provider: name,
        model: name === 'llama.cpp-local' ? '/models/m.gguf' : 'm',
        apiKey,
      }
      const made = await newProvider(config, context)
      expect(made.name).toBe(provider)
      expect(apiHost(config, context)).toBe(host)
      expect(describeProvider(made).capabilities?.tools.supported).toBe(tools)
    },
  )

  test('a backend of Protolink without tool calls is asked for actions as JSON, and what the vendor adds to the reply is in the result', async () => {
    const bodies: { tools?: unknown; response_format?: { json_schema: { schema: object } } }[] = []
    const contents = [
      JSON.stringify({ thought: 'I look.', type: 'tool_call', tool: 'look', args: { at: 'Rome' } }),
      JSON.stringify({ thought: null, type: 'final', content: 'It is sunny.' }),
    ]
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        bodies.push(JSON.parse(body) as (typeof bodies)[number])
        const content = contents[bodies.length - 1] ?? ''
        response.setHeader('content-type', 'application/json')
        response.end(
          JSON.stringify({
            id: 'r1',
            model: 'sonar',
            object: 'chat.completion',
            citations: ['https://weather.test'],
            choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
            usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
          }),
        )
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const provider = await newProvider(
      { provider: 'perplexity', model: 'sonar', baseUrl, apiKey },
      context,
    )
    const look = defineTool({
      name: 'look',
      description: 'Looks at the weather',
      parameters: { at: { type: 'string', required: true } },
      execute: ({ at }) => `sunny in ${at}`,
    })
    const result = await infer(provider, { query: 'Weather in Rome?', tools: [look] })
    expect(result).toMatchObject({
      status: 'final',
      text: 'It is sunny.',
      metrics: { executedActions: 1 },
    })
    expect(result.details.citations?.[0]).toMatchObject({ url: 'https://weather.test' })
    expect(result.details.responseId).toBe('r1')
    expect(bodies.map(({ tools }) => tools)).toEqual([undefined, undefined])
    expect(JSON.stringify(bodies[0]?.response_format?.json_schema.schema)).toContain(
      '"thought":{"type":"string"}',
    )
  })
})
