import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { ticksOf } from '../src/page/run/call-table.js'
import { startProgram } from './start-program.js'
import { hasBrowser, launch, openPage, startStudio, violations } from './support.js'

test('the marks of the time axis are round times', () => {
  const times = (from: number, to: number): number[] => ticksOf({ from, to }).map(([at]) => at)
  expect(times(0, 3668)).toEqual([0, 1000, 2000, 3000])
  expect(times(0, 917)).toEqual([0, 200, 400, 600, 800])
  expect(times(130, 180)).toEqual([130, 140, 150, 160, 170])
})

describe.skipIf(!hasBrowser)('a run with the runs inside of it', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())

  /** Opens the list of runs after this program has run. */
  async function afterProgram(what: string): Promise<Page> {
    const served = await startStudio()
    onTestFinished(() => served.close())
    const { done } = startProgram(what, temporaryFolder('run-tree'), {
      MODELPORT_STUDIO: served.programUrl,
      TEST_API_KEY: 'tk-9f8e7d6c5b4a39281706',
    })
    await done
    const { page, errors } = await openPage(browser, served, { bypassCSP: true })
    onTestFinished(async () => {
      expect(errors).toEqual([])
      await page.context().close()
    })
    await page.getByRole('link', { name: 'Runs' }).click()
    return page
  }
  /** The rows as a screen reader has them. */
  const rows = async (page: Page): Promise<string[]> =>
    (await page.locator('.waterfall tbody .name').allInnerTexts()).map((text) =>
      text.replace(/\s+/g, ' ').trim(),
    )

  test('the timeline nests the runs inside of a run, and a model call shows what was new in it next to its reply', async () => {
    const page = await afterProgram('prompted')
    await page.getByRole('link', { name: 'Is it warm?', exact: true }).click()
    await page.getByRole('link', { name: 'Timeline' }).click()
    const first = 'model: 1 · mock mock'
    const inside = ['run: the inner question', first]
    await expect
      .poll(() => rows(page))
      .toEqual(['start: start', first, 'tool: ask', ...inside, 'model: 2 · mock mock'])
    await page.getByRole('button', { name: 'Parts of the inner question' }).click()
    await expect.poll(() => rows(page)).toHaveLength(5)

    await page.getByRole('button', { name: '1 · mock mock' }).click()
    const sent = page.getByRole('region', { name: 'Sent' })
    const reply = page.getByRole('region', { name: 'Came back' })
    expect(await sent.innerText()).toContain('Speak like a captain.')
    expect(await sent.innerText()).toContain('Is it warm?')
    expect(await reply.innerText()).toContain('Called ask')

    await page.getByRole('button', { name: '2 · mock mock' }).click()
    expect(await sent.innerText()).toContain('Result of ask')
    expect(await sent.innerText()).toContain('an inner reply')
    expect(await sent.innerText()).not.toContain('Is it warm?')
    expect(await reply.innerText()).toContain('It is warm.')
    await sent.getByRole('button', { name: '+ 2 messages before' }).click()
    expect(await sent.innerText()).toContain('Is it warm?')

    await page.getByRole('button', { name: 'tool: ask' }).click()
    const details = page.getByRole('region', { name: 'Details of ask' })
    await details.getByRole('link', { name: 'the inner question' }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'run: the inner question' }).click()
    await page.getByRole('link', { name: 'Its own timeline' }).click()
    await page.getByRole('heading', { name: 'the inner question' }).waitFor()
  })

  test('a durable run opens on the run inside of it, whose head leads back to its timeline', async () => {
    const page = await afterProgram('durable')
    await page.getByRole('link', { name: 'invoice-17' }).click()
    await page.locator('.markdown', { hasText: 'It is stored.' }).waitFor()
    await page.getByRole('link', { name: 'invoice-17' }).click()
    await expect.poll(() => rows(page)).toContain('run: Store it')
    await page.goBack()
    await page.locator('.markdown', { hasText: 'It is stored.' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
  })

  test('one click in the list of runs opens the step that failed', async () => {
    const page = await afterProgram('fails')
    await page.getByRole('link', { name: 'failed: auth' }).click()
    const details = page.getByRole('region', { name: 'Details of mock mock' })
    await details.getByText('failed').waitFor()
    expect(await details.innerText()).toContain('Who am I?')
  })
})
