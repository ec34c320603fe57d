import { factsOf } from '../model-facts.js'
import type { ModelFacts, Vendor } from '../vendor.js'

/** The Messages API. */
export const anthropic: Vendor = {
  name: 'anthropic',
  title: 'Anthropic',
  package: '@modelport/provider-anthropic',
  aliases: ['claude'],
  baseUrl: 'https://api.anthropic.com',
  baseUrlVariables: ['ANTHROPIC_BASE_URL'],
  keyVariables: ['ANTHROPIC_API_KEY'],
  needsKey: true,
  keyUrl: 'https://console.anthropic.com/settings/keys',
  model: 'claude-sonnet-4-6',
  priceList: 'anthropic',
  docs: 'https://platform.claude.com/docs/en/api/messages',
}

/** Windows and prices of some models. A long prompt costs the same for each token. */
export const anthropicModels: readonly ModelFacts[] = /* @__PURE__ */ factsOf('2026-11-28', [
  {
    id: 'claude-opus-4-6',
    contextWindow: 1_000_000,
    prices: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25, cacheWriteHour: 10 },
    source: 'https://platform.claude.com/docs/en/about-claude/pricing',
  },
  {
    id: 'claude-sonnet-5',
    contextWindow: 1_000_000,
    prices: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5, cacheWriteHour: 4 },
    source: 'https://platform.claude.com/docs/en/about-claude/pricing',
  },
  {
    id: 'claude-sonnet-4-6',
    contextWindow: 1_000_000,
    prices: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, cacheWriteHour: 6 },
    source: 'https://platform.claude.com/docs/en/about-claude/pricing',
  },
  {
    id: 'claude-haiku-4-5-20251001',
    contextWindow: 200_000,
    prices: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25, cacheWriteHour: 2 },
    source: 'https://platform.claude.com/docs/en/about-claude/pricing',
  },
  {
    id: 'claude-haiku-4-5',
    contextWindow: 200_000,
    prices: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25, cacheWriteHour: 2 },
    source: 'https://platform.claude.com/docs/en/about-claude/pricing',
  },
])
