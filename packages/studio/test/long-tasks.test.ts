import { createMock } from '@modelport/provider-mock'
import { expect, test } from 'vitest'
import { atMostWhereQuiet, atSize } from '../../../test/support/faults.js'
import { hasBrowser, launch, openPage, startStudio } from './support.js'

test.skipIf(!hasBrowser)('the page draws every delta of a fast reply, in short tasks', async () => {
  const deltas = atSize(3_000, 10_000)
  const browser = await launch()
  const text = Array.from({ length: deltas }, (_, index) => `word${index} `)
  const model = { id: 'fast', provider: 'mock', model: 'fast', hosts: [] }
  const studio = await startStudio({ models: [{ ...model, open: () => createMock({ responses: [{ text }] }) }] })
  const { page, errors } = await openPage(browser, studio)
  await page.evaluate(() => {
    const tasks: number[] = []
    Object.assign(globalThis, { tasks })
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      entryTypes: ['longtask'],
    })
  })
  await page.getByLabel('Message', { exact: true }).fill('Go')
  await page.keyboard.press('Enter')
  await page.locator('.figures').waitFor()
  const tasks = await page.evaluate(() => (globalThis as unknown as { readonly tasks: readonly number[] }).tasks)
  const longest = Math.max(0, ...tasks)
  console.log(`${deltas} deltas: ${tasks.length} tasks over 50 ms, the longest ${Math.round(longest)} ms`)
  atMostWhereQuiet(longest, 50)
  const shown = await page.locator('.message.assistant').last().innerText()
  for (const index of [0, 1000, deltas - 1]) expect(shown).toContain(`word${index} `.trim())
  expect(errors).toEqual([])
  await browser.close()
  await studio.close()
})
