import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attacks, hasBrowser, launch, openPage, startStudio, violations } from './support.js'

const usage = { inputTokens: 1000, outputTokens: 100 }

describe.skipIf(!hasBrowser)('the timeline of a run', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())

  test('the timeline zooms, shows the selected call, searches its result, and runs again from any step', async () => {
    const found: number[] = []
    const rows = Array.from({ length: 150 }, (_, index) => ({
      id: index,
      name: `row ${index}`,
      note: attacks[0],
    }))
    const search = defineTool({
      name: 'search',
      description: 'Finds rows',
      execute: () => {
        found.push(1)
        return { rows }
      },
    })
    const call = { toolCalls: [{ name: 'search', arguments: {} }], usage }
    const provider = createMock({
      responses: [call, { text: 'First.', usage }, { text: 'Second.', usage }],
      delayMs: 5,
    })
    const models = [{ id: 'm', provider: 'mock', model: 'm', hosts: [], open: () => provider }]
    const studio = await startStudio({ models, tools: [search] })
    const { page, errors } = await openPage(browser, studio, {
      ...{ bypassCSP: true, permissions: ['clipboard-read', 'clipboard-write'] },
    })
    await page.getByLabel('Message', { exact: true }).fill('Find')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.locator('.markdown', { hasText: 'First.' }).waitFor()
    await page.getByRole('link', { name: 'Timeline' }).click()

    const table = page.getByRole('group', { name: 'Calls of this run on a time axis: 5' })
    const axis = (await table.locator('.axis').boundingBox())!
    await page.mouse.move(axis.x + axis.width / 2, axis.y + 8)
    await page.mouse.down()
    await page.mouse.move(axis.x + axis.width, axis.y + 8)
    await page.mouse.up()
    const zoomed = page.getByRole('group', { name: 'Zoom of the time axis' })
    await zoomed.getByText(/\d (m?s|min.*) to \d/).waitFor()
    // The server's start lies before the second half of the run.
    const start = table.getByRole('row', { name: 'start: start' })
    await expect.poll(() => start.locator('.bar').count()).toBe(0)
    await table.focus()
    await page.keyboard.press('0')
    await expect.poll(() => start.locator('.bar').count()).toBe(1)
    await page.keyboard.press('+')
    await zoomed.getByText(' to ').waitFor()

    await page.getByRole('button', { name: 'tool: search', exact: true }).click()
    const details = page.getByRole('region', { name: 'Details of search' })
    const tree = details.getByRole('group', { name: 'the result' })
    await tree.getByText('"row 0"').waitFor()
    expect(await tree.getByText('"row 149"').count()).toBe(0)
    await details.getByRole('searchbox', { name: 'Search in the result' }).fill('row 149')
    await tree.getByText('"row 149"').waitFor()
    expect(await tree.locator('.leaf').count()).toBe(1)
    await details.getByRole('button', { name: 'Copy the result' }).click()
    await details.getByRole('button', { name: 'Copied the result' }).waitFor()
    expect(JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))).toEqual({ rows })
    expect(await violations(page)).toEqual([])

    await page
      .getByRole('button', { name: /mock mock$/ })
      .last()
      .click()
    const model = page.getByRole('region', { name: 'Details of mock m' })
    expect(await model.innerText()).toMatch(/Tokens in\n1,000/)
    await model.getByText('Options and tools against the request before').click()
    await model.getByText('The request before is not kept.').waitFor()
    await model.getByRole('button', { name: 'Run again from here' }).click()
    await page.locator('.markdown', { hasText: 'Second.' }).waitFor()
    expect(found).toHaveLength(1)
    expect(provider.requests[2]?.messages).toEqual(provider.requests[1]?.messages)

    // One property has the colour of a model call, here and in the overview.
    await page.getByRole('link', { name: 'Overview' }).click()
    const bar = page.locator('.charts .bar').first()
    await bar.waitFor()
    expect(await bar.evaluate((element) => getComputedStyle(element).fill)).toBe(
      'rgb(106, 83, 214)',
    )
    expect(await page.evaluate(() => (globalThis as { hacked?: unknown }).hacked)).toBeUndefined()
    expect(errors).toEqual([])
    await page.context().close()
    await studio.close()
  })
})
