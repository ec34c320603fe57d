import { createMock } from '@modelport/provider-mock'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import type { RunRecord } from '../src/protocol/protocol.js'
import type { StoredInfo, StoredWait } from '../src/protocol/stored.js'
import { createMemoryStore } from '../src/store/file-store.js'
import { startProgram } from './start-program.js'
import { hasBrowser, launch, openPage, startStudio, violations } from './support.js'

const provider = createMock({
  responses: [
    { toolCalls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] },
    'It is cold in Oslo.',
  ],
})
const model = { id: 'm', provider: 'mock', model: 'm', hosts: [], open: () => provider }

describe.skipIf(!hasBrowser)('the list of what waits', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())

  test('a decision is made in the list, a wait of a durable run has its command next to it, and nothing else is listed', async () => {
    const store = createMemoryStore()
    const over: RunRecord = {
      ...{ id: 'over', at: 1, model: 'm', title: 'over', status: 'cancelled' },
      error: { code: 'interrupted', message: 'The studio ended during this run.' },
      messages: [{ role: 'user', content: 'over' }],
    }
    await store.save(over)
    const served = await startStudio({ models: [model], store })
    onTestFinished(() => served.close())
    const { done } = startProgram('waits', temporaryFolder('waiting'), {
      MODELPORT_STUDIO: served.programUrl,
    })
    await done
    const { page, errors } = await openPage(browser, served, { bypassCSP: true })
    onTestFinished(() => page.context().close())
    await page.getByLabel('Message', { exact: true }).fill('How cold is it?')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: '1 waits for you' }).click()
    await page.getByRole('heading', { name: 'Waiting' }).waitFor()

    const program = page.getByRole('region', { name: 'For a decision in a program' })
    await program.getByText('Needs an approval of ask').waitFor()
    expect(await program.locator('.entry').count()).toBe(1)
    expect(await program.locator('.command code').innerText()).toBe(
      "modelport agent approve 'invoice-17' --store FILE",
    )
    const here = page.getByRole('region', { name: 'For your decision here' })
    await here.getByRole('link', { name: 'How cold is it?' }).waitFor()
    expect(await violations(page)).toEqual([])
    await here.locator('.approval [aria-disabled=false]').first().waitFor()
    await here.getByRole('button', { name: 'Allow' }).click()
    await expect.poll(() => here.count()).toBe(0)
    expect(provider.requests).toHaveLength(2)
    expect(await page.getByRole('link', { name: 'over', exact: true }).count()).toBe(0)
    expect(errors).toEqual([])
  })

  test('what waits in a store stands by kind with its commands, a program says it only if the store does not, and budgets say who spent what', async () => {
    const wait = (kind: StoredWait['kind'], id: string): StoredWait => ({
      ...{ kind, id, name: 'printer', at: 1, who: 'whoever has the result delivers it:' },
      call: { name: `tool of ${id}`, args: { page: 1 } },
      commands: [`modelport agent reconcile ${id} --happened RESULT --store agents.db`],
    })
    const none = { cost: 0, tokens: 0, calls: 0 }
    const durableStore = (): Promise<StoredInfo> =>
      Promise.resolve({
        waits: [wait('approval', 'invoice-17'), wait('work', 'job-1'), wait('stopped', 'run-9')],
        budgets: [
          {
            ...{ owner: 'ada', window: 'day', timeZone: 'UTC', setBy: 'operator', maxCost: 5 },
            ...{ used: { cost: 1.25, tokens: 10, calls: 2 }, reserved: none },
            ...{ topUp: { ...none, cost: 2 }, endsAt: '2026-11-30T00:00:00.000Z' },
          },
        ],
      })
    const served = await startStudio({ models: [model], durableStore })
    onTestFinished(() => served.close())
    const { done } = startProgram('waits', temporaryFolder('waiting'), {
      MODELPORT_STUDIO: served.programUrl,
    })
    await done
    const { page, errors } = await openPage(browser, served, { bypassCSP: true })
    onTestFinished(() => page.context().close())
    await page.getByRole('link', { name: 'Waiting' }).click()
    const commandOf = (title: string) =>
      page.getByRole('region', { name: title }).locator('.command code').allInnerTexts()
    await page.getByRole('region', { name: 'Results that come later' }).waitFor()
    const line = (id: string) =>
      `modelport agent reconcile ${id} --happened RESULT --store agents.db`
    expect(await commandOf('For a decision in the store')).toEqual([line('invoice-17')])
    expect(await commandOf('Results that come later')).toEqual([line('job-1')])
    expect(await commandOf('Stopped')).toEqual([line('run-9')])
    await page.getByRole('button', { name: 'Copy the command' }).first().waitFor()
    const program = page.getByRole('region', { name: 'For a decision in a program' })
    await expect.poll(() => program.locator('.entry').count()).toBe(0)
    expect(await violations(page)).toEqual([])

    await page.getByRole('link', { name: 'Overview' }).click()
    const row = page.getByRole('row', { name: /^ada/ })
    expect(await row.innerText()).toMatch(
      /ada\s+day, UTC\s+\$1\.25 of \$7(\.00)? \(\$2(\.00)? added\)/,
    )
    expect(await violations(page)).toEqual([])
    expect(errors).toEqual([])
  })

  test('a result that comes later is named as such, with the command that delivers it, whatever the name of its run', async () => {
    const served = await startStudio({ models: [model] })
    onTestFinished(() => served.close())
    const { done } = startProgram('later', temporaryFolder('waiting'), {
      MODELPORT_STUDIO: served.programUrl,
    })
    await done
    const { page, errors } = await openPage(browser, served)
    onTestFinished(() => page.context().close())
    await page.getByRole('link', { name: 'Waiting' }).click()
    const entry = page.locator('.entry', { hasText: 'Print it' })
    await entry.getByText('Waits for the result of print').waitFor()
    expect(await entry.locator('.command code').allInnerTexts()).toEqual([
      "modelport agent reconcile 'ada'\\''s job' --happened RESULT --store FILE",
    ])
    expect(errors).toEqual([])
  })
})
