import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mostCostOf, type TokenCounts, toUsage, usageCostOf, zeroCounts } from '@modelport/core'
import { checkPrices } from '@modelport/core/settings'
import { calcPrice, findProvider } from '@pydantic/genai-prices'
import { describe, expect, test } from 'vitest'
import { vendorModels, vendors } from '../src/index.js'
import { findPrices } from '../src/prices.js'

/** The same numbers in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state % below
  }
}

/** Our vendors that the list has, each with its name there. */
const listed = vendors.flatMap(({ name, priceList }): [vendor: string, providerId: string][] =>
  priceList === undefined ? [] : [[name, priceList]],
)

const at = new Date('2026-10-01T12:00:00Z')
const modelsOf = (providerId: string): readonly string[] =>
  findProvider({ providerId })?.models.map(({ id }) => id) ?? []
const isOurs = (vendor: string, model: string): boolean =>
  (vendorModels[vendor] ?? []).some(({ id }) => id === model)

function randomCounts(random: (below: number) => number): TokenCounts {
  const inputTokens = random(500_000)
  const cacheReadTokens = random(inputTokens + 1)
  const cacheCreationTokens = random(inputTokens - cacheReadTokens + 1)
  const hour = random(cacheCreationTokens + 1)
  return {
    ...zeroCounts,
    inputTokens,
    cacheReadTokens,
    cacheCreationTokens,
    outputTokens: random(20_000),
    cacheCreationByLifetime: { '1h': hour, '5m': cacheCreationTokens - hour },
  }
}

describe('prices of the list', () => {
  test.each(listed)(
    'every known price of %s costs what the list itself calculates, for any usage',
    (vendor, providerId) => {
      const random = createRandom(7)
      const ids = modelsOf(providerId).filter((id) => !isOurs(vendor, id))
      expect(ids.length).toBeGreaterThan(0)
      for (const id of ids) {
        const { prices } = findPrices(vendor, id, at)
        if (!prices) continue
        checkPrices(id, prices)
        for (let round = 0; round < 20; round++) {
          const counts = randomCounts(random)
          const usage = {
            input_tokens: counts.inputTokens,
            output_tokens: counts.outputTokens,
            cache_read_tokens: counts.cacheReadTokens,
            cache_write_tokens: counts.cacheCreationTokens,
            cache_write_1h_tokens: counts.cacheCreationByLifetime?.['1h'] ?? 0,
          }
          const expected = calcPrice(usage, id, { providerId, timestamp: at })?.total_price ?? NaN
          const { total } = usageCostOf(toUsage([counts]), prices)
          expect(total, `${id} ${JSON.stringify(usage)}`).toBeCloseTo(expected, 9)
          expect(mostCostOf(counts, prices)).toBeGreaterThanOrEqual(total - 1e-9)
        }
      }
    },
  )

  test('a model with a price in another unit is unknown, and the unit is named', () => {
    const reasons = listed.flatMap(([vendor, providerId]) =>
      modelsOf(providerId).flatMap((id) => findPrices(vendor, id, at).reason ?? []),
    )
    expect(new Set(reasons)).toContain(
      'it has a price in a unit that prices do not have: input_audio_mtok',
    )
    expect(findPrices('perplexity', 'sonar', at)).toMatchObject({
      reason: 'it has a price in a unit that prices do not have: requests_kcount',
    })
    expect(findPrices('perplexity', 'sonar', at)).not.toHaveProperty('prices')
  })

  test('most models of the list have a price', () => {
    const all = listed.flatMap(([vendor, providerId]) =>
      modelsOf(providerId).map((id) => findPrices(vendor, id, at)),
    )
    const priced = all.filter(({ prices }) => prices !== undefined)
    expect(priced.length).toBeGreaterThan(900)
  })

  test('every model of the catalog has a price, or a reason why it has none', () => {
    for (const { name, model, cheapestModel, embeddingModel } of vendors) {
      const rows = (vendorModels[name] ?? []).map(({ id }) => id)
      for (const id of [model, cheapestModel, embeddingModel, ...rows]) {
        if (id === undefined) continue
        const { prices, reason, source, date } = findPrices(name, id)
        expect(prices === undefined, `${name}:${id}`).toBe(reason !== undefined)
        expect(source).toMatch(/^https:/)
        expect(date).toMatch(/^\d{4}-\d\d-\d\d$/)
      }
    }
  })

  test('the default model of OpenAI has a price, with the tier of long prompts', () => {
    expect(findPrices('openai', 'gpt-5.4')).toMatchObject({
      contextWindow: 1_050_000,
      prices: {
        input: 2.5,
        output: 15,
        tiers: [{ above: 271_999, input: 5, output: 22.5, cacheRead: 0.5 }],
      },
    })
  })

  test('a row of the catalog wins over the list', () => {
    const [own] = vendorModels['anthropic'] ?? []
    expect(findPrices('anthropic', own?.id ?? '')).toBe(own)
  })

  test('a price that changes on a day is that of the moment', () => {
    const before = findPrices('openai', 'gpt-5.6-sol', new Date('2020-01-01'))
    const after = findPrices('openai', 'gpt-5.6-sol', new Date('2030-01-01'))
    expect(before.prices).not.toEqual(after.prices)
  })

  test('a vendor that nobody knows and a server of your own have a reason', () => {
    expect(findPrices('nobody', 'x').reason).toBe('"nobody" is not a vendor of the catalog')
    expect(findPrices('ollama', 'x').reason).toBe('no list knows what a server of your own costs')
    expect(findPrices('toString', 'x').reason).toBe('"toString" is not a vendor of the catalog')
  })

  test('the date is that of the oldest version that the peer dependency admits', () => {
    const manifest = readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')
    const { peerDependencies } = JSON.parse(manifest) as {
      readonly peerDependencies: Readonly<Record<string, string>>
    }
    expect(peerDependencies['@pydantic/genai-prices']).toBe('~0.1.8')
    expect(findPrices('openai', 'gpt-5.4').date).toBe('2026-09-23')
  })
})
