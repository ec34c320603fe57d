import { readFileSync } from 'node:fs'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import type { StudioEvent } from '../src/protocol/protocol.js'
import { createMemoryStore } from '../src/store/file-store.js'
import { startProgram } from './start-program.js'
import { hasBrowser, launch, openPage, startStudio } from './support.js'

const page = readFileSync(new URL('../../../evidence/studio.md', import.meta.url), 'utf8')

/** The clicks of each task, as the page of evidence says. */
const clicksOf: Readonly<Record<string, number>> = Object.fromEntries(
  [...page.matchAll(/^\| ([^|]+) \| (\d) \|/gm)].map(([, task = '', clicks]) => [
    task,
    Number(clicks),
  ]),
)

const pay = defineTool({ name: 'pay', description: 'Pays', execute: () => 'paid' })
const book = defineTool({
  name: 'book',
  description: 'Books a table',
  execute: async (_, { ask }) => {
    const schema = { type: 'object', properties: { people: { type: 'integer' } } }
    const { action } = await ask({ message: 'For how many people?', schema })
    return action
  },
})
const model = {
  ...{ id: 'm', provider: 'mock', model: 'm', hosts: [] },
  open: () =>
    createMock({
      defaultResponse: ({ messages }) => {
        const asked = JSON.stringify(messages)
        if (messages.at(-1)?.role === 'tool') return 'Done.'
        return { toolCalls: [{ name: asked.includes('Pay') ? 'pay' : 'book', arguments: {} }] }
      },
    }),
}

/** A run whose second call found less in the cache, and had another option. */
async function storeWithCacheBreak() {
  const store = createMemoryStore()
  const usage = { inputTokens: 900, outputTokens: 5, cacheReadTokens: 0 }
  const metrics = { usage: { ...usage, cacheCreationTokens: 0, reasoningTokens: 0 } }
  const call = (step: number) => [
    { type: 'model-call-start', provider: 'p', model: 'm' },
    { type: 'text-delta', text: `reply ${step}` },
    { type: 'model-call-end', metrics, text: `reply ${step}` },
  ]
  const broken = { type: 'cache-break', cause: 'tools', cacheReadTokens: 0, cachedTokens: 800 }
  const events = [...call(1), ...call(2), broken]
  const numbered = events.map((event, index) => ({
    ...{ seq: index + 1, at: index, type: 'run' },
    event: { step: index < 3 ? 1 : 2, ...event },
  }))
  const messages = [{ role: 'user' as const, content: 'Read the book' }]
  const run = { id: 'cached', at: 1, model: 'm', title: 'Read the book', messages }
  await store.save({ ...run, status: 'running' })
  await store.append('cached', numbered as unknown as StudioEvent[])
  await store.save({ ...run, status: 'final' })
  return store
}

describe.skipIf(!hasBrowser)('ten things that people do in the studio', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())

  const counts: Record<string, number> = {}

  /** Does a task from the list of runs, and counts its clicks. */
  async function doTask(
    shown: Page,
    task: string,
    act: (click: (at: Locator) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    await shown.evaluate(() => (location.hash = '/runs'))
    await shown.getByRole('heading', { name: 'Runs', exact: true }).waitFor()
    let clicks = 0
    await act(async (at) => {
      clicks++
      await at.click()
    })
    counts[task] = clicks
  }

  test('ten things take as many clicks from the list of runs as the page of evidence says', async () => {
    const store = await storeWithCacheBreak()
    const served = await startStudio({ models: [model], tools: [pay, book], store })
    onTestFinished(() => served.close())
    const state = temporaryFolder('tasks')
    for (const what of ['steps', 'fails', 'waits'])
      await startProgram(what, state, { MODELPORT_STUDIO: served.programUrl }).done
    const { origin, hash } = new URL(served.programUrl)
    await fetch(`${origin}/v1/traces`, {
      method: 'POST',
      headers: { authorization: `Bearer ${hash.slice(1)}`, 'content-type': 'application/json' },
      body: JSON.stringify(trace('Where is parcel 7?')),
    })

    const { page: shown, errors } = await openPage(browser, served)
    onTestFinished(() => shown.context().close())
    const link = (name: string) => shown.getByRole('link', { name, exact: true })
    const ask = async (text: string): Promise<void> => {
      await shown.evaluate(() => (location.hash = '/chat'))
      await shown.getByLabel('Message', { exact: true }).fill(text)
      await shown.keyboard.press('Enter')
      await shown.locator('.approval [aria-disabled=false]').first().waitFor()
    }

    await doTask(shown, 'open the step that failed', async (click) => {
      await click(link('failed: auth'))
      await shown.getByRole('region', { name: 'Details of mock mock' }).getByText('auth').waitFor()
    })
    await doTask(
      shown,
      'see what the model was sent in step 3, and what came back',
      async (click) => {
        await click(link('Go'))
        await click(link('Step 3'))
        await shown.getByRole('region', { name: 'Sent' }).getByText('asked 2').waitFor()
        await shown.getByRole('region', { name: 'Came back' }).getByText('{"about":3}').waitFor()
      },
    )
    await doTask(shown, "see why the vendor's cache missed", async (click) => {
      await click(link('Read the book'))
      await shown.getByText("The vendor's cache had less than before.").waitFor()
      await click(link('Step 2'))
      await shown.getByText('had 0 of 800 tokens: the tools changed').waitFor()
    })
    await doTask(
      shown,
      'compare a call with the one before: messages, tools, options',
      async (click) => {
        await click(link('Go'))
        await click(link('Step 2'))
        await shown.getByText('Options and tools are those of the call before.').waitFor()
      },
    )
    await doTask(shown, 'see what a run cost, with all runs in it', async () => {
      await shown.getByRole('columnheader', { name: 'Cost' }).waitFor()
    })
    await doTask(shown, 'open what an attached program did', async (click) => {
      await click(link('Go'))
      await shown.locator('.markdown', { hasText: 'Done.' }).waitFor()
    })
    await doTask(shown, 'see a trace of another program', async (click) => {
      await click(link('Where is parcel 7?'))
      await shown.locator('.markdown', { hasText: 'In Oslo.' }).waitFor()
    })
    await doTask(shown, 'see who can end each wait, and by which command', async (click) => {
      await click(link('Waiting'))
      await shown.getByText("modelport agent approve 'invoice-17' --store FILE").waitFor()
    })

    await ask('Pay it')
    await doTask(shown, 'approve a call', async (click) => {
      await click(shown.getByRole('link', { name: '1 waits for you' }))
      await shown.locator('.approval [aria-disabled=false]').first().waitFor()
      await click(shown.getByRole('button', { name: 'Allow' }))
      await expect.poll(() => shown.locator('.approval').count()).toBe(0)
    })
    await ask('Book it')
    await shown.getByRole('button', { name: 'Allow' }).click()
    await shown.getByLabel('people').waitFor()
    await doTask(shown, 'answer a question of a tool', async (click) => {
      await click(shown.getByRole('link', { name: '1 waits for you' }))
      await shown.locator('.approval [aria-disabled=false]').first().waitFor()
      await shown.getByLabel('people').fill('4')
      await click(shown.getByRole('button', { name: 'Answer', exact: true }))
      await expect.poll(() => shown.locator('.approval').count()).toBe(0)
    })

    expect(counts).toEqual(clicksOf)
    expect(errors).toEqual([])
  })
})

/** A trace with one call of a model, as an exporter sends it. */
function trace(question: string): object {
  const text = (key: string, stringValue: string): object => ({ key, value: { stringValue } })
  const said = (role: string, content: string): string =>
    JSON.stringify([{ role, parts: [{ type: 'text', content }] }])
  const nano = (second: number): string => `${1_700_000_000 + second}000000000`
  const span = {
    ...{ traceId: '7'.repeat(32), spanId: '7'.repeat(16), name: 'chat' },
    ...{ startTimeUnixNano: nano(0), endTimeUnixNano: nano(1) },
    attributes: [
      text('gen_ai.operation.name', 'chat'),
      text('gen_ai.request.model', 'gpt'),
      text('gen_ai.input.messages', said('user', question)),
      text('gen_ai.output.messages', said('assistant', 'In Oslo.')),
    ],
  }
  const resource = { attributes: [text('service.name', 'shop')] }
  return { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] }
}
