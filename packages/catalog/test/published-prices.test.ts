// What recorded calls cost by the prices that their vendors published. The counts are those that a
// server reported; the dollars were computed apart from this code, with the published prices for a
// million tokens and not with ours.
//
// Anthropic's prices were read in a stored copy of its page on 2026-11-29. The others are those
// that models.dev had copied by the day that stands with them; the price of `mistral-medium-latest`
// is that of our own row, since no copy has it.
import { toUsage, usageCostOf, zeroCounts } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { findPrices } from '../src/prices.js'

/** One call: its model, the prices of the page for it, its counts, and what it cost. */
type Row = readonly [
  model: string,
  page: string,
  counts: readonly [input: number, cacheRead: number, cacheWrite: number, output: number],
  dollars: number,
]

/** The calls of a vendor, and the page that has its prices. */
interface Priced {
  readonly page: string
  /** The day on which the page said so. */
  readonly read: string
  readonly rows: readonly Row[]
}

const at = new Date('2026-11-29T12:00:00Z')

// The prices of a page are input, output, read from the cache, written to it; in US dollars.
const published: Readonly<Record<string, Priced>> = {
  anthropic: {
    page: 'https://platform.claude.com/docs/en/about-claude/pricing',
    read: '2026-11-29, a stored copy',
    rows: [
      ['claude-fable-5', '10 / 50 / 1 / 12.5', [594, 0, 0, 50], 0.00844],
      ['claude-opus-5', '5 / 25 / 0.5 / 6.25', [13, 0, 0, 44], 0.001165],
      ['claude-opus-4-8', '5 / 25 / 0.5 / 6.25', [86, 0, 0, 316], 0.00833],
      ['claude-opus-4-7', '5 / 25 / 0.5 / 6.25', [53, 0, 0, 14], 0.000615],
      ['claude-opus-4-6', '5 / 25 / 0.5 / 6.25', [671, 0, 0, 55], 0.00473],
      ['claude-sonnet-5', '2 / 10 / 0.2 / 2.5', [9632, 6289, 3337, 198], 0.0115923],
      ['claude-sonnet-4-6', '3 / 15 / 0.3 / 3.75', [9339, 9116, 219, 156], 0.00590805],
      ['claude-sonnet-4-5', '3 / 15 / 0.3 / 3.75', [1532, 1111, 418, 33], 0.0024048],
      ['claude-sonnet-4-20250514', '3 / 15 / 0.3 / 3.75', [558, 0, 0, 51], 0.002439],
      ['claude-3-7-sonnet-20250219', '3 / 15 / 0.3 / 3.75', [1754, 0, 1733, 561], 0.01497675],
      ['claude-haiku-4-5-20251001', '1 / 5 / 0.1 / 1.25', [7361, 7351, 0, 4], 0.0007651],
      ['claude-3-5-haiku-20241022', '0.8 / 4 / 0.08 / 1', [107, 2, 5, 21], 0.00016916],
      ['claude-3-haiku-20240307', '0.25 / 1.25 / 0.03 / 0.3', [2431, 0, 1200, 5], 0.000674],
      ['claude-3-opus-20240229', '15 / 75 / 1.5 / 18.75', [17, 0, 0, 158], 0.012105],
    ],
  },
  openai: {
    page: 'https://developers.openai.com/api/docs/pricing',
    read: '2026-07-02',
    rows: [
      ['gpt-5.5', '5 / 30 / 0.5', [94, 0, 0, 85], 0.00302],
      ['gpt-5.4', '2.5 / 15 / 0.25', [282, 0, 0, 26], 0.001095],
      ['gpt-5.4-mini', '0.75 / 4.5 / 0.075', [631, 0, 0, 12], 0.00052725],
      ['gpt-5.3-codex', '1.75 / 14 / 0.175', [7243, 3072, 0, 423], 0.01375885],
      ['gpt-5.2', '1.75 / 14 / 0.175', [4565, 4352, 0, 5], 0.00120435],
      ['gpt-5.1-codex-max', '1.25 / 10 / 0.125', [260, 0, 0, 26], 0.000585],
      ['gpt-5', '1.25 / 10 / 0.125', [115_886, 92_160, 0, 1720], 0.0583775],
      ['gpt-5-mini', '0.25 / 2 / 0.025', [129, 0, 0, 19], 0.00007025],
      ['gpt-5-nano', '0.05 / 0.4 / 0.005', [1586, 1536, 0, 393], 0.00016738],
      ['gpt-4.1', '2 / 8 / 0.5', [23, 0, 0, 6], 0.000094],
      ['gpt-4.1-mini', '0.4 / 1.6 / 0.1', [57, 0, 0, 17], 0.00005],
      ['gpt-4.1-nano', '0.1 / 0.4 / 0.025', [43, 0, 0, 13], 0.0000095],
      ['gpt-4o', '2.5 / 10 / 1.25', [71, 0, 0, 46], 0.0006375],
      ['gpt-4o-mini', '0.15 / 0.6 / 0.075', [1370, 1280, 0, 155], 0.0002025],
      ['o4-mini', '1.1 / 4.4 / 0.275', [95, 0, 0, 98], 0.0005357],
      ['o3-mini', '1.1 / 4.4 / 0.55', [13, 0, 0, 1915], 0.0084403],
      ['gpt-4', '30 / 60', [67, 0, 0, 16], 0.00297],
      ['gpt-3.5-turbo', '0.5 / 1.5', [21, 0, 0, 10], 0.0000255],
    ],
  },
  google: {
    page: 'https://ai.google.dev/gemini-api/docs/pricing',
    read: '2026-07-02',
    rows: [
      ['gemini-2.5-pro', '1.25 / 10 / 0.125', [84, 0, 0, 13], 0.000235],
      ['gemini-3-pro-preview', '2 / 12 / 0.2', [107, 0, 0, 146], 0.001966],
      ['gemini-3.5-flash', '1.5 / 9 / 0.15', [568, 217, 0, 1332], 0.01254705],
      ['gemini-3.1-flash-lite', '0.25 / 1.5 / 0.025', [247, 0, 0, 27], 0.00010225],
    ],
  },
  grok: {
    page: 'https://docs.x.ai/docs/models',
    read: '2026-05-16 and 2026-07-02',
    rows: [
      ['grok-4.3', '1.25 / 2.5 / 0.2', [731, 576, 0, 186], 0.00077395],
      ['grok-3-mini', '0.3 / 0.5 / 0.075', [331, 330, 0, 282], 0.00016605],
      ['grok-code-fast-1', '0.2 / 1.5 / 0.02', [506, 448, 0, 50], 0.00009556],
      ['grok-4-fast', '0.2 / 0.5 / 0.05', [493, 481, 0, 89], 0.00007095],
    ],
  },
  groq: {
    page: 'https://groq.com/pricing',
    read: '2026-06-10 and 2026-07-02',
    rows: [
      ['llama-3.3-70b-versatile', '0.59 / 0.79', [48, 0, 0, 8], 0.00003464],
      ['openai/gpt-oss-120b', '0.15 / 0.6 / 0.075', [84, 0, 0, 105], 0.0000756],
      ['qwen/qwen3-32b', '0.29 / 0.59', [25, 0, 0, 2], 0.00000843],
      ['meta-llama/llama-4-scout-17b-16e-instruct', '0.11 / 0.34', [749, 0, 0, 107], 0.00011877],
      ['meta-llama/llama-4-maverick-17b-128e-instruct', '0.2 / 0.6', [711, 0, 0, 86], 0.0001938],
    ],
  },
  cerebras: {
    page: 'https://www.cerebras.ai/pricing',
    read: '2026-07-02',
    rows: [
      ['gpt-oss-120b', '0.35 / 0.75', [80, 0, 0, 45], 0.00006175],
      ['zai-glm-4.7', '2.25 / 2.75', [35, 0, 0, 106], 0.00037025],
    ],
  },
  mistral: {
    page: 'https://mistral.ai/pricing/api',
    read: '2026-07-02; of mistral-medium-latest 2026-11-22',
    rows: [
      ['mistral-medium-latest', '1.5 / 7.5 / 0.15', [997, 976, 0, 155], 0.0013404],
      ['pixtral-12b', '0.15 / 0.15', [81, 0, 0, 48], 0.00001935],
    ],
  },
  moonshot: {
    page: 'https://platform.kimi.ai/docs/pricing/chat',
    read: '2026-07-02',
    rows: [['kimi-k2.6', '0.95 / 4 / 0.16', [20, 10, 0, 30], 0.0001311]],
  },
  'azure-openai': {
    page: 'https://azure.microsoft.com/pricing/details/cognitive-services/openai-service',
    read: '2026-07-02',
    rows: [
      ['gpt-4.1-mini', '0.4 / 1.6 / 0.1', [10_188, 0, 0, 405], 0.0047232],
      ['gpt-5-nano', '0.05 / 0.4 / 0.005', [85, 0, 0, 123], 0.00005345],
    ],
  },
  openrouter: {
    page: 'https://openrouter.ai/openai/gpt-4o-mini',
    read: '2026-07-02',
    rows: [['openai/gpt-4o-mini', '0.15 / 0.6 / 0.075', [900, 0, 0, 69], 0.0001764]],
  },
  zai: {
    page: 'https://docs.z.ai/guides/overview/pricing',
    read: '2026-07-02',
    rows: [['glm-5.2', '1.4 / 4.4 / 0.26', [20, 0, 0, 233], 0.0010532]],
  },
}

describe('the prices of the vendors', () => {
  const calls = Object.entries(published).flatMap(([vendor, { page, read, rows }]) =>
    rows.map((row) => ({ vendor, page, read, row })),
  )

  test('fifty calls or more are compared', () => {
    expect(calls.length).toBeGreaterThanOrEqual(50)
  })

  test.each(calls)(
    'a call of $vendor $row.0 costs what the page of the vendor says',
    ({
      vendor,
      row: [model, , [inputTokens, cacheReadTokens, cacheCreationTokens, outputTokens], dollars],
    }) => {
      const counts = {
        ...zeroCounts,
        inputTokens,
        cacheReadTokens,
        cacheCreationTokens,
        outputTokens,
      }
      const { prices, reason } = findPrices(vendor, model, at)
      expect(reason).toBeUndefined()
      if (prices) expect(usageCostOf(toUsage([counts]), prices).total).toBeCloseTo(dollars, 12)
    },
  )

  test('a long prompt costs the prices that the page has above its limit', () => {
    const counts = { ...zeroCounts, inputTokens: 300_000, cacheReadTokens: 100_000 }
    const costOf = (vendor: string, model: string): number | undefined => {
      const { prices } = findPrices(vendor, model, at)
      return prices && usageCostOf(toUsage([{ ...counts, outputTokens: 1000 }]), prices).total
    }
    // 200,000 at 5 dollars a million, 100,000 at 0.5, 1,000 at 22.5: above 272,000 tokens.
    expect(costOf('openai', 'gpt-5.4')).toBeCloseTo(1.0725, 12)
    // 200,000 at 2.5, 100,000 at 0.25, 1,000 at 15: above 200,000 tokens.
    expect(costOf('google', 'gemini-2.5-pro')).toBeCloseTo(0.54, 12)
    // 200,000 at 2.5, 100,000 at 0.4, 1,000 at 5: above 200,000 tokens.
    expect(costOf('grok', 'grok-4.3')).toBeCloseTo(0.545, 12)
  })

  test.each([
    ['deepseek', 'deepseek-v4-flash', 'its prices depend on the time of day'],
    ['perplexity', 'sonar', 'requests_kcount'],
    ['google', 'gemini-2.5-flash', 'input_audio_mtok'],
  ])('%s %s has no price that a count of tokens could have, and says why', (vendor, model, why) => {
    const { prices, reason } = findPrices(vendor, model, at)
    expect(prices).toBeUndefined()
    expect(reason).toContain(why)
  })
})
