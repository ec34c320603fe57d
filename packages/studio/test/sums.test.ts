import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createMock } from '@modelport/provider-mock'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { createDemoModel, createStudio } from '../src/index.js'
import { openFileStore, serveStudio } from '../src/node.js'
import { costOf } from '../src/page/parts/format.js'
import type { RunSummary } from '../src/protocol/protocol.js'
import type { RunGroupTotals } from '../src/protocol/run-query.js'
import { Runs } from '../src/server/runs.js'
import { createMemoryStore } from '../src/store/file-store.js'
import { startProgram } from './start-program.js'

interface Bill {
  calls: number
  inputTokens: number
  outputTokens: number
  cachedTokens: number
}

/** A server that counts what it charges, and asks for the tool until its results are enough. */
async function openServer() {
  const bill: Bill = { calls: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      const results = body.split('"role":"tool"').length - 1
      const wanted = body.includes('Use the tool twice') ? 2 : body.includes('Use the tool') ? 1 : 0
      const call = { name: 'ask', arguments: JSON.stringify({ n: results }) }
      const message =
        results < wanted
          ? { content: null, tool_calls: [{ id: `c${results}`, type: 'function', function: call }] }
          : { content: 'Done.' }
      const number = ++bill.calls
      const [input, output, cached] = [100 + 7 * number, 10 + number, 50 + number]
      bill.inputTokens += input
      bill.outputTokens += output
      bill.cachedTokens += cached
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({
          id: `r${number}`,
          object: 'chat.completion',
          model: 'tiny',
          choices: [
            {
              index: 0,
              message: { role: 'assistant', ...message },
              finish_reason: results < wanted ? 'tool_calls' : 'stop',
            },
          ],
          usage: {
            prompt_tokens: input,
            completion_tokens: output,
            total_tokens: input + output,
            prompt_tokens_details: { cached_tokens: cached },
          },
        }),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { bill, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
}

async function openStudio(state: string) {
  const studio = createStudio({ models: [createDemoModel()], assets: {} })
  const served = await serveStudio(studio, { addressFile: join(state, 'modelport/studio-address') })
  onTestFinished(() => served.close().catch(() => undefined))
  const { session } = (await (
    await fetch(new URL('/api/session', served.url), {
      method: 'POST',
      body: JSON.stringify({ token: new URL(served.url).hash.slice('#token='.length) }),
    })
  ).json()) as { readonly session: string }
  return async <T>(path: string): Promise<T> =>
    (await (
      await fetch(new URL(path, served.url), { headers: { 'x-modelport-session': session } })
    ).json()) as T
}

const priceOf = ({ inputTokens, outputTokens, cachedTokens }: Omit<Bill, 'calls'>): number =>
  ((inputTokens - cachedTokens) * 2 + cachedTokens * 0.5 + outputTokens * 8) / 1e6

describe('the sums of runs', () => {
  test('durable, nested and continued runs, plain calls and tasks count each call once, as the server does', async () => {
    const { bill, url } = await openServer()
    const state = temporaryFolder('sums')
    const get = await openStudio(state)
    const { done } = startProgram('money', state, { SERVER: url })
    const { status, stderr } = await done
    expect(status, stderr).toBe(0)
    await expect
      .poll(async () => (await get<RunSummary[]>('/api/runs')).map((run) => run.status), {
        timeout: 15_000,
      })
      .not.toContain('running')
    const runs = await get<RunSummary[]>('/api/runs')

    const own = { calls: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, cost: 0 }
    for (const { usage, cost = 0 } of runs) {
      own.calls += usage?.turns.length ?? 0
      own.inputTokens += usage?.inputTokens ?? 0
      own.outputTokens += usage?.outputTokens ?? 0
      own.cachedTokens += usage?.cacheReadTokens ?? 0
      own.cost += cost
    }
    const { cost, ...counted } = own
    expect(counted).toEqual(bill)
    expect(cost).toBeCloseTo(priceOf(bill), 7)

    const [totals] = await get<RunGroupTotals[]>('/api/runs/totals')
    expect(totals).toMatchObject({
      inputTokens: bill.inputTokens,
      outputTokens: bill.outputTokens,
      cachedTokens: bill.cachedTokens,
    })
    expect(totals?.costs['EUR']).toBeCloseTo(priceOf(bill), 7)

    const roots = runs.filter(({ parent }) => parent === undefined)
    const trees = roots.map(({ tree, usage }) => tree ?? usage)
    const inTrees = trees.reduce((sum, counts) => sum + (counts?.inputTokens ?? 0), 0)
    expect(inTrees).toBe(bill.inputTokens)
    for (const kind of ['durable invoice-17', 'task adder']) {
      const root = roots.find(({ model }) => model === kind)
      expect(root).not.toHaveProperty('usage')
      expect(root?.tree?.inputTokens).toBeGreaterThan(0)
      expect(root?.tree?.costs['EUR']).toBeCloseTo(priceOf(root?.tree ?? bill), 7)
    }
  }, 60_000)

  test('a cost whose cached tokens have no price is at most that, in lists, trees and sums', async () => {
    const { url } = await openServer()
    const state = temporaryFolder('sums')
    const get = await openStudio(state)
    const { done } = startProgram('money', state, { SERVER: url, CACHE_PRICE: 'unknown' })
    const { status, stderr } = await done
    expect(status, stderr).toBe(0)
    const statuses = async () => (await get<RunSummary[]>('/api/runs')).map((run) => run.status)
    await expect.poll(statuses, { timeout: 15_000 }).not.toContain('running')
    const runs = await get<RunSummary[]>('/api/runs')

    const shown = runs.map(costOf)
    expect(shown.filter((text) => !/^(at most [\d.]+ EUR|–)$/.test(text))).toEqual([])
    expect(shown.filter((text) => text.startsWith('at most'))).not.toEqual([])
    const [totals] = await get<RunGroupTotals[]>('/api/runs/totals')
    expect(totals?.costBound).toBe('at-most')
    const wrapper = runs.find(({ model }) => model === 'durable invoice-17')
    expect(wrapper && costOf(wrapper)).toMatch(/^at most /)
  }, 60_000)

  test('a run that is stopped shows the tokens that its cost is made of', async () => {
    const provider = createMock({ responses: ['word '.repeat(500)], chunkSize: 5, delayMs: 5 })
    const model = {
      ...{ id: 'm', provider: 'mock', model: 'm', hosts: [], open: () => provider },
      profile: { prices: { input: 2, output: 8 } },
    }
    const runs = new Runs({ models: [model], assets: {}, store: createMemoryStore() })
    const messages = [{ role: 'user' as const, content: 'Count' }]
    const { id } = await runs.start({ model: 'm', messages }, model)
    await expect.poll(() => runs.live(id)?.run.firstTokenMs).toBeGreaterThanOrEqual(0)
    runs.live(id)?.stop()
    await expect.poll(() => runs.live(id)).toBeUndefined()
    const { status, usage, cost } = (await runs.find(id)) ?? {}
    expect(status).toBe('cancelled')
    const { inputTokens = 0, outputTokens = 0 } = usage ?? {}
    expect(inputTokens).toBeGreaterThan(0)
    expect(outputTokens).toBeGreaterThan(0)
    expect(cost).toBeCloseTo((inputTokens * 2 + outputTokens * 8) / 1e6, 9)
  })

  test('a file of the version before gets the parents of its runs, and wrappers count nothing twice', async () => {
    const path = join(temporaryFolder('sums'), 'studio.db')
    const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, turns: [] }
    const store = openFileStore(path)
    const run = {
      at: 1,
      title: 't',
      status: 'final' as const,
      messages: [],
      program: 'app.mjs',
      cost: 1,
      usage: {
        ...usage,
        cacheCreationTokens: 0,
        reasoningTokens: 0,
        toolDefinitionTokens: 0,
        reported: true,
      },
    }
    await store.save({ ...run, id: 'wrapper', model: 'durable x' })
    await store.save({ ...run, id: 'child', model: 'm', parent: 'wrapper' })
    await store.close()
    const database = new DatabaseSync(path)
    database.exec(`DROP INDEX run_list_parent; ALTER TABLE run_list DROP COLUMN parent;
      ALTER TABLE run_list DROP COLUMN bound;
      PRAGMA user_version = 4`)
    database.close()
    const reopened = openFileStore(path)
    expect(await reopened.tree('wrapper')).toEqual({
      runs: 2,
      inputTokens: 10,
      outputTokens: 5,
      cachedTokens: 0,
      costs: { USD: 1 },
    })
    expect((await reopened.totals({}))[0]).toMatchObject({ inputTokens: 10, costs: { USD: 1 } })
    await reopened.close()
  })
})
