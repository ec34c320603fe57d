import type { ModelFacts, Vendor } from '../vendor.js'

/** The Messages API. */
export const anthropic: Vendor = {
  name: 'anthropic',
  title: 'Anthropic',
  aliases: ['claude'],
  baseUrl: 'https://api.anthropic.com',
  baseUrlVariables: ['ANTHROPIC_BASE_URL'],
  keyVariables: ['ANTHROPIC_API_KEY'],
  needsKey: true,
  keyUrl: 'https://console.anthropic.com/settings/keys',
  model: 'claude-sonnet-4-6',
  docs: 'https://platform.claude.com/docs/en/api/messages',
}

/** Windows and prices of some models. */
export const anthropicModels: readonly ModelFacts[] = [
  {
    id: 'claude-opus-4-6',
    contextWindow: 1_000_000,
    inputCostPerMillion: 5,
    outputCostPerMillion: 25,
    source: 'https://platform.claude.com/docs/en/models/opus-4-6/overview.md',
    date: '2026-11-22',
  },
  {
    id: 'claude-sonnet-5',
    contextWindow: 1_000_000,
    inputCostPerMillion: 2,
    cacheReadCostPerMillion: 0.2,
    outputCostPerMillion: 10,
    source: 'https://platform.claude.com/docs/zh-CN/models/sonnet-5/overview',
    date: '2026-11-22',
  },
  {
    id: 'claude-sonnet-4-6',
    contextWindow: 1_000_000,
    inputCostPerMillion: 3,
    outputCostPerMillion: 15,
    source: 'https://platform.claude.com/docs/en/docs/legacy-model-guide',
    date: '2026-11-22',
  },
  {
    id: 'claude-haiku-4-5-20251001',
    contextWindow: 200_000,
    inputCostPerMillion: 1,
    outputCostPerMillion: 5,
    source: 'https://platform.claude.com/docs/en/docs/legacy-model-guide',
    date: '2026-11-22',
  },
  {
    id: 'claude-haiku-4-5',
    contextWindow: 200_000,
    inputCostPerMillion: 1,
    outputCostPerMillion: 5,
    source: 'https://platform.claude.com/docs/en/docs/legacy-model-guide',
    date: '2026-11-22',
  },
]
