import { createMock } from '@modelport/provider-mock'
import { expect, test } from 'vitest'
import { atMostWhereQuiet, atSize } from '../../../test/support/faults.js'
import { hasBrowser, launch, openPage, startStudio, traceTasks } from './support.js'

test.skipIf(!hasBrowser)('the page draws every delta of a fast reply, in short tasks', async () => {
  const deltas = atSize(3_000, 10_000)
  const browser = await launch()
  const text = Array.from({ length: deltas }, (_, index) => `word${index} `)
  const model = { id: 'fast', provider: 'mock', model: 'fast', hosts: [] }
  const studio = await startStudio({ models: [{ ...model, open: () => createMock({ responses: [{ text }] }) }] })
  const { page, errors } = await openPage(browser, studio)
  const stopTrace = await traceTasks(browser, page)
  await page.getByLabel('Message', { exact: true }).fill('Go')
  await page.keyboard.press('Enter')
  await page.locator('.figures').waitFor()
  const longest = await stopTrace()
  console.log(`${deltas} deltas: the longest task took ${longest} ms of processor time`)
  atMostWhereQuiet(longest, 50)
  const shown = await page.locator('.message.assistant').last().innerText()
  for (const index of [0, 1000, deltas - 1]) expect(shown).toContain(`word${index} `.trim())
  expect(errors).toEqual([])
  await browser.close()
  await studio.close()
})
