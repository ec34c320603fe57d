import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launch, openPage, startStudio, violations } from './support.js'

describe.skipIf(!hasBrowser)('the options of a run on the page', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())

  const send = async (page: Page, text: string): Promise<void> => {
    await page.getByLabel('Message', { exact: true }).fill(text)
    await page.keyboard.press('Enter')
  }

  test('the page sends each option that is set, keeps it with the run, and says what is wrong with one', async () => {
    const provider = createMock({ defaultResponse: '{"ok": true}' })
    const models = [{ id: 'm', provider: 'mock', model: 'm', hosts: [], open: () => provider }]
    const studio = await startStudio({ models, tools: [] })
    const { page, errors } = await openPage(browser, studio, { bypassCSP: true })
    await page.locator('summary', { hasText: /^Options/ }).click()
    const set = async (name: string, text: string): Promise<void> => {
      await page.getByLabel('Add an option').selectOption(name)
      const field = page.getByLabel(name, { exact: true })
      if ((await field.evaluate((element) => element.tagName)) === 'SELECT')
        await field.selectOption(text)
      else await field.fill(text)
    }
    await set('topP', 'high')
    await send(page, 'Go')
    await page.getByRole('alert').getByText('topP: Enter a number.').waitFor()
    await page.getByLabel('topP', { exact: true }).fill('2')
    await page.getByRole('button', { name: 'Send' }).click()
    await page
      .getByRole('alert')
      .getByText('options.topP: must be a number between 0 and 1')
      .waitFor()
    await page.getByLabel('topP', { exact: true }).fill('0.5')
    await set('temperature', '0')
    await set('topK', '40')
    await set('seed', '7')
    await set('stop', '["END", "STOP"]')
    await set('reasoning', 'low')
    await set('responseFormat', '{"type": "json-schema", "schema": {"type": "object"}}')
    await set('cache', 'hour')
    await set('vendor', '{"user": "ada"}')
    expect(await violations(page)).toEqual([])
    await send(page, 'Go')
    await page.locator('.figures').waitFor()
    const wanted = {
      ...{
        topP: 0.5,
        temperature: 0,
        topK: 40,
        seed: 7,
        stop: ['END', 'STOP'],
        reasoning: 'low',
        cache: 'hour',
      },
      responseFormat: {
        type: 'json-schema',
        schema: expect.objectContaining({ type: 'object' }) as unknown,
      },
      vendor: { user: 'ada' },
    }
    expect(provider.requests[0]?.options).toMatchObject(wanted)
    await page.reload()
    await page.locator('summary', { hasText: /^Options/ }).click()
    expect(JSON.parse(await page.getByLabel('stop', { exact: true }).inputValue())).toEqual([
      'END',
      'STOP',
    ])
    await page.getByRole('button', { name: 'Remove seed' }).click()
    await send(page, 'Again')
    await expect.poll(() => provider.requests.length).toBe(2)
    const { seed: _seed, ...others } = wanted
    expect(provider.requests[1]?.options).toMatchObject(others)
    expect(provider.requests[1]?.options).not.toHaveProperty('seed')
    // The browser logs the refused request.
    expect(errors).toEqual([
      'Failed to load resource: the server responded with a status of 400 (Bad Request)',
    ])
    await page.context().close()
    await studio.close()
  })

  test('the page offers a model the tools that are chosen, and asks before a tool with an effect runs again', async () => {
    const paid: unknown[] = []
    const tool = (name: string, readOnly: boolean) =>
      defineTool({ name, description: name, readOnly, execute: () => paid.push(name) })
    const calls = { toolCalls: ['look', 'pay'].map((name) => ({ name, arguments: {} })) }
    const provider = createMock({ responses: [calls, 'Paid.', calls, 'Not paid again.'] })
    const models = [{ id: 'm', provider: 'mock', model: 'm', hosts: [], open: () => provider }]
    const tools = [tool('look', true), tool('pay', false), tool('never', false)]
    const studio = await startStudio({ models, tools })
    const { page, errors } = await openPage(browser, studio)
    await page.locator('summary', { hasText: /^Options/ }).click()
    await page.getByLabel('never').uncheck()
    await page.getByLabel('Ask me before each tool call').uncheck()
    await send(page, 'Pay')
    await page.locator('.markdown', { hasText: 'Paid.' }).waitFor()
    const offered = provider.requests[0]?.options as {
      readonly tools: readonly { readonly name: string }[]
    }
    expect(offered.tools.map(({ name }) => name)).toEqual(['look', 'pay'])
    await page.getByRole('button', { name: 'Run again with m' }).click()
    await page.getByRole('group', { name: 'Approve pay?' }).waitFor()
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.locator('.markdown', { hasText: 'Not paid again.' }).waitFor()
    expect(paid).toEqual(['look', 'pay', 'look'])
    expect(errors).toEqual([])
    await page.context().close()
    await studio.close()
  })
})
