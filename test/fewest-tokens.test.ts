import { createOpenAI } from '@modelport/provider-openai'
import { infer } from '@modelport/runtime'
import { describe, expect, it } from 'vitest'

describe('the fewest tokens of an API', () => {
  it.each([
    'https://api.openai.com/v1',
    'https://r.openai.azure.com/openai/v1',
    'https://proxy.example.com/v1',
  ])('a run at the Responses API of %s with 10 tokens left ends as a budget', async (baseUrl) => {
    let requests = 0
    const provider = createOpenAI({
      model: 'gpt-4o',
      apiKey: 'sk-test-0123456789',
      baseUrl,
      api: 'responses',
      fetch: () => {
        requests += 1
        const error = { message: 'max_output_tokens must be at least 16', param: null }
        return Promise.resolve(Response.json({ error }, { status: 400 }))
      },
    })

    const result = await infer(provider, {
      messages: [{ role: 'user', content: 'Hi' }],
      limits: { budget: { maxOutputTokens: 10 } },
    })

    expect(result.status).toBe('budget')
    expect(requests).toBe(0)
  })
})
