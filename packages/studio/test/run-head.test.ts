import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { hasBrowser, launch, openPage, startStudio } from './support.js'

describe.skipIf(!hasBrowser)('the head of a run', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())

  async function open() {
    const served = await startStudio()
    onTestFinished(() => served.close())
    const { page, errors } = await openPage(browser, served)
    onTestFinished(() => page.context().close())
    const goTo = (name: string): Promise<void> =>
      page.getByRole('link', { name, exact: true }).click()
    return {
      served,
      page,
      errors,
      goTo,
      about: page.locator('.run-head .about'),
      related: page.locator('.related'),
    }
  }

  test('the head of a run says in every view how it stands; a run that waits is counted in the navigation and the title, and its bar grows', async () => {
    const { page, errors, goTo, about } = await open()
    await page.getByRole('button', { name: 'How is the weather in Oslo?' }).click()
    for (const view of ['Conversation', 'Timeline', 'Raw', 'Context']) {
      await goTo(view)
      await expect.poll(() => about.innerText()).toMatch(/^needs your decision demo /)
      expect(await page.locator('h1').innerText()).toBe('How is the weather in Oslo?')
    }
    await page.getByRole('link', { name: '1 waits for you' }).waitFor()
    await expect.poll(() => page.title()).toBe('(1) Context · modelport studio')
    await goTo('Timeline')
    const wait = page.getByRole('row', { name: /approval of get_weather/ })
    const took = async (): Promise<number> =>
      Number(/([\d.]+) s/.exec(await wait.innerText())?.[1] ?? 0)
    const before = await took()
    await expect.poll(took).toBeGreaterThan(before + 0.5)
    await page.getByRole('link', { name: '1 waits for you' }).click()
    await page.getByRole('link', { name: 'How is the weather in Oslo?' }).click()
    await page.getByRole('button', { name: 'Allow' }).click()
    await expect.poll(() => about.innerText()).toMatch(/^finished demo /)
    await expect.poll(() => page.title()).toBe('Chat · modelport studio')
    expect(await page.getByText('waits for you').count()).toBe(0)
    expect(errors).toEqual([])
  })

  test('the head of a run leads to the run that it is part of or follows, and to those in it and after it, in the same view', async () => {
    const { served, page, related } = await open()
    const { origin, hash } = new URL(served.programUrl)
    const start = (s: string, content: string, more: object = {}): object => ({
      ...{ t: 'start', s, k: 'call', at: Date.now(), ...more },
      v: { provider: 'mock', model: 'tiny', messages: [{ role: 'user', content }] },
    })
    const inner = [1, 2, 3, 4, 5, 6].map((number) =>
      start(`inner-${number}`, `Inner ${number}`, { p: 'outer' }),
    )
    const lines = [{ t: 'hello', name: 'shop.ts' }, start('outer', 'Outer'), ...inner]
    await fetch(`${origin}/attach`, {
      method: 'POST',
      headers: { authorization: `Bearer ${hash.slice(1)}`, 'content-type': 'application/x-ndjson' },
      body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    })
    await page.goto(`${origin}/#/timeline/run-outer`)
    await expect
      .poll(() => related.innerText())
      .toMatch(/^Contains\s+Inner 1.*Inner 5.*and others$/s)
    await related.getByRole('link', { name: 'Inner 2' }).click()
    await expect.poll(() => related.innerText()).toMatch(/^Part of\s+Outer/)
    expect(page.url()).toMatch(/#\/timeline\/run-inner-2$/)
    await related.getByRole('link', { name: 'Outer' }).click()
    await related.getByRole('link', { name: 'and others' }).click()
    await expect.poll(() => page.locator('.runs tbody tr').count()).toBe(7)
    await page.goto(`${origin}/#/chat`)
    for (const text of ['First', 'Second']) {
      await page.getByRole('textbox', { name: 'Message' }).fill(text)
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.locator('.about', { hasText: 'finished' }).waitFor()
    }
    await expect.poll(() => related.innerText()).toMatch(/^After\s+First$/)
    await related.getByRole('link', { name: 'First' }).click()
    await expect.poll(() => related.innerText()).toMatch(/^Then\s+Second$/)
  })
})
