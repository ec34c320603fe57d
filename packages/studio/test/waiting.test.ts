import { createMock } from '@modelport/provider-mock'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import type { RunRecord } from '../src/protocol/protocol.js'
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
})
