import { factsOf } from '../model-facts.js'
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
export const anthropicModels: readonly ModelFacts[] = /* @__PURE__ */ factsOf('2026-11-22', [
  [
    'claude-opus-4-6',
    5,
    25,
    'https://platform.claude.com/docs/en/models/opus-4-6/overview.md',
    1_000_000,
  ],
  [
    'claude-sonnet-5',
    2,
    10,
    'https://platform.claude.com/docs/zh-CN/models/sonnet-5/overview',
    1_000_000,
    0.2,
  ],
  [
    'claude-sonnet-4-6',
    3,
    15,
    'https://platform.claude.com/docs/en/docs/legacy-model-guide',
    1_000_000,
  ],
  [
    'claude-haiku-4-5-20251001',
    1,
    5,
    'https://platform.claude.com/docs/en/docs/legacy-model-guide',
    200_000,
  ],
  [
    'claude-haiku-4-5',
    1,
    5,
    'https://platform.claude.com/docs/en/docs/legacy-model-guide',
    200_000,
  ],
])
