import { type Capabilities, toUsage } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { capabilities as anthropic } from '../../provider-anthropic/src/capabilities.js'
import { capabilities as google } from '../../provider-google/src/capabilities.js'
import { capabilities as ollama } from '../../provider-ollama/src/capabilities.js'
import { capabilities as openai } from '../../provider-openai/src/capabilities.js'
import { cardCost, type ModelCard } from '../src/card/model-card.js'
import { computerUse, Dialog, definePrompt, vendorMcp, webSearch } from '../src/index.js'
import { callerOf, failureOf } from './call-tools.js'

describe('vendor tools', () => {
  const sent = async (capabilities: Capabilities, features?: readonly string[]) => {
    const prompt = definePrompt({
      path: 'p',
      text: 'x',
      providerTools: [
        webSearch(),
        computerUse({ whenMissing: 'omit' }),
        vendorMcp({
          label: 'docs',
          url: 'https://docs.example/mcp',
          requireApproval: 'manual',
          whenMissing: 'omit',
        }),
      ],
    })
    const { caller, provider } = callerOf(['ok'], {
      capabilities,
      ...(features && { card: { features } }),
    })
    await caller.call(Dialog.seed().send(prompt))
    return provider.requests[0]?.options.providerTools
  }

  test('vendor tools take the form of the vendor', async () => {
    expect(await sent(openai({ model: 'gpt-5.4', api: 'responses' }))).toEqual([
      { type: 'web_search' },
      {
        type: 'computer_use_preview',
        display_width: 1280,
        display_height: 800,
        environment: 'browser',
      },
      {
        type: 'mcp',
        server_label: 'docs',
        server_url: 'https://docs.example/mcp',
        require_approval: 'always',
      },
    ])
    expect(await sent(anthropic({ model: 'claude-sonnet-4-5' }))).toEqual([
      { type: 'web_search_20250305', name: 'web_search' },
    ])
    expect(await sent(google({ model: 'gemini-3-flash-preview' }))).toEqual([{ googleSearch: {} }])
  })

  test('vendor tools are left out or refused if the vendor or the model does not have them', async () => {
    await expect(sent(ollama({}))).rejects.toMatchObject({
      code: 'unsupported',
      state: 'initial',
      message: expect.stringContaining('mock does not have the vendor tool web-search'),
    })
    for (const feature of ['web-search', 'web_search'])
      expect(await sent(openai({ model: 'gpt-5.4' }), [feature])).toEqual([{ type: 'web_search' }])
  })
})

describe('a model card', () => {
  const card: ModelCard = {
    model: 'mock',
    maxOutputTokens: 100,
    contextWindow: 50,
    modalities: ['text'],
    prices: { input: 10, output: 20, cacheRead: 1 },
  }
  const call = async (given: ModelCard, dialog: Dialog<string>, maxTokens = 10) => {
    const { caller, provider } = callerOf(
      ['ok'],
      { card: given },
      { usage: { inputTokens: 1000, outputTokens: 100, cacheReadTokens: 900 } },
    )
    return { result: caller.call(dialog, { options: { maxTokens } }), provider }
  }

  test('a model card is checked before anything is sent, and everything that does not fit is listed', async () => {
    const dialog = Dialog.seed().send('word '.repeat(100), {
      images: ['https://example.com/a.png'],
    })
    const { result, provider } = await call({ ...card, model: 'other' }, dialog, 200)
    const { message, code } = await failureOf(result)
    expect(code).toBe('invalid-request')
    expect(message).toMatch(
      /model "mock": the card is of "other"; .*; maxTokens is 200, the model's limit is 100; the prompt has about \d+ tokens, the context window 50; .*; the dialog has image, which/,
    )
    expect(provider.requests).toHaveLength(0)
  })

  test('a model card prices cached tokens separately', async () => {
    const { result } = await call(
      { ...card, snapshots: ['mock'], model: 'mock-latest' },
      Dialog.seed().send('Hi'),
    )
    expect((await result).cost).toBeCloseTo((100 * 10 + 900 * 1 + 100 * 20) / 1e6, 12)
    expect(cardCost(toUsage([]), {})).toBeUndefined()
  })
})
