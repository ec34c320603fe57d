import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launch, openPage, startStudio, violations } from './support.js'

describe.skipIf(!hasBrowser)('the keys of the page', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())

  test('the keys find a view, a run by what was said in it, a model and an action, and never decide on a call', async () => {
    const studio = await startStudio()
    const { page, errors } = await openPage(browser, studio, { bypassCSP: true })
    const commands = page.getByRole('combobox', {
      name: 'Find a view, a run, a model or an action',
    })
    const message = page.getByLabel('Message', { exact: true })
    await message.fill('How is the weather in Oslo?')
    await page.keyboard.press('Enter')
    await page.locator('.approval [aria-disabled=false]').first().waitFor()

    // With a call waiting, every key that opens, chooses and closes leaves it waiting, and the run
    // running.
    await page.keyboard.press('Control+k')
    await commands.waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await commands.waitFor({ state: 'detached' })
    expect(await message.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.type('/?')
    expect(await message.inputValue()).toBe('/?')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('doctor')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Doctor' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('option', { name: /How is the weather in Oslo/ }).waitFor()
    await page.keyboard.type('weather oslo')
    const found = page.getByRole('listbox', { name: 'Commands' }).getByRole('option')
    await expect.poll(() => found.allInnerTexts()).toEqual(['How is the weather in Oslo?\ndemo'])
    await page.keyboard.press('Enter')
    await page.getByRole('group', { name: 'Approve get_weather?' }).waitFor()
    await page.getByRole('button', { name: 'Stop' }).waitFor()

    // Escape stops the run, as ever.
    await page.keyboard.press('Escape')
    await page.getByText('Stopped. What had arrived is kept.').waitFor()

    await page.locator('main').focus()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    expect(await violations(page)).toEqual([])
    for (const key of ['j, k and x', 'Enter'])
      expect(await page.locator('dialog dt').allInnerTexts()).toContain(key)
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await commands.waitFor()
    await page.keyboard.type('new conv')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Talk to a model' }).waitFor()
    expect(errors).toEqual([])
    await page.context().close()
    await studio.close()
  })
})
