import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { atMostWhereQuiet, atSize } from '../../../test/support/faults.js'
import type { ServedStudio } from '../src/node.js'
import { createMemoryStore } from '../src/store/file-store.js'
import { hasBrowser, launch, openPage, startStudio, traceTasks, violations } from './support.js'

const probe = defineTool({
  name: 'probe',
  description: 'Returns its number',
  parameters: { type: 'object', properties: { index: { type: 'number' } } },
  execute: ({ index }) => String(index),
})

describe.skipIf(!hasBrowser)('a page with much to draw', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())

  test('the page draws every delta of a fast reply, in short tasks', async () => {
    const deltas = atSize(3_000, 10_000)
    const text = Array.from({ length: deltas }, (_, index) => `word${index} `)
    const model = { id: 'fast', provider: 'mock', model: 'fast', hosts: [] }
    const studio = await startStudio({
      models: [{ ...model, open: () => createMock({ responses: [{ text }] }) }],
    })
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
    await page.context().close()
    await studio.close()
  })

  test('a page with much to draw draws the Markdown of a reply while it arrives, and leaves finished blocks as they are', async () => {
    const paragraphs = Array.from(
      { length: 30 },
      (_, index) => `Paragraph **number ${index}** ends.`,
    )
    const text = [...paragraphs, '```ts\nconst last = 1\n```'].join('\n\n')
    const model = { id: 'slow', provider: 'mock', model: 'slow', hosts: [] }
    const open = () => createMock({ responses: [{ text }], chunkSize: 4, delayMs: 4 })
    const studio = await startStudio({ models: [{ ...model, open }] })
    const { page, errors } = await openPage(browser, studio)
    await page.evaluate(() => {
      const marks = { raw: 0 }
      Object.assign(globalThis, { marks })
      new MutationObserver(() => {
        const shown =
          document.querySelector<HTMLElement>('.message.assistant .markdown')?.innerText ?? ''
        if (shown.includes('**')) marks.raw++
      }).observe(document.body, { subtree: true, childList: true, characterData: true })
    })
    await page.getByLabel('Message', { exact: true }).fill('Go')
    await page.keyboard.press('Enter')
    const first = page.locator('.markdown > div').first()
    await page.getByText('Paragraph number 3 ends.').waitFor()
    await first.evaluate((element) =>
      element.querySelector('strong')!.setAttribute('title', 'kept'),
    )
    await page.locator('.figures').waitFor()
    expect(await first.locator('strong').getAttribute('title')).toBe('kept')
    expect(await page.locator('.markdown strong').count()).toBe(30)
    await page.locator('.hljs-keyword', { hasText: 'const' }).waitFor()
    expect(await page.locator('.code-bar').count()).toBe(1)
    expect(
      await page.evaluate(() => (globalThis as unknown as { marks: { raw: number } }).marks.raw),
    ).toBe(0)
    expect(errors).toEqual([])
    await page.context().close()
    await studio.close()
  })

  test('a conversation of 10,000 messages shows the newest ones, takes typing at once, and forks from each', async () => {
    const messages = Array.from({ length: 10_000 }, (_, index) =>
      index % 2 === 0
        ? { role: 'user' as const, content: `question ${index}` }
        : { role: 'assistant' as const, content: `**reply** ${index}` },
    )
    const store = createMemoryStore()
    const asked = { role: 'user' as const, content: 'the last question' }
    await store.save({
      ...{ id: 'long', at: 1, model: 'm', title: 'long', status: 'final' },
      messages: [...messages, asked],
      transcript: [...messages, asked, { role: 'assistant', content: 'the last reply' }],
    })
    const provider = createMock({ defaultResponse: 'Yes.' })
    const studio = await startStudio({
      models: [{ id: 'm', provider: 'mock', model: 'm', hosts: [], open: () => provider }],
      store,
    })
    const { page, errors } = await openPage(browser, studio)
    const stopTrace = await traceTasks(browser, page)
    await page.goto(`${new URL(studio.url).origin}/#/chat/long`)
    await page.getByText('the last question').waitFor()
    expect(await page.getByRole('log').locator('.message').count()).toBeLessThanOrEqual(101)
    await page.getByLabel('Message', { exact: true }).fill('')
    await page.keyboard.type('hello there')
    const longest = await stopTrace()
    console.log(`10,001 messages: the longest task took ${longest} ms of processor time`)
    atMostWhereQuiet(longest, 150)
    await page.getByRole('button', { name: 'Show 100 of 9,901 earlier messages' }).click()
    const card = page.locator('.message.user', { hasText: 'question 9802' })
    await card.getByRole('button', { name: 'Edit and run again' }).click()
    await page.getByLabel('New text').fill('another question')
    await page.getByRole('button', { name: 'Run again', exact: true }).click()
    await expect.poll(() => provider.requests[0]?.messages.length).toBe(9803)
    expect(provider.requests[0]?.messages.at(-1)).toMatchObject({ content: 'another question' })
    expect(errors).toEqual([])
    await page.context().close()
    await studio.close()
  })

  test('a page with much to draw draws only the calls in sight of a run of 5,000 events, and scrolls by keyboard', async () => {
    const calls = atSize(300, 1_250)
    const toolCalls = Array.from({ length: calls }, (_, index) => ({
      name: 'probe',
      arguments: { index },
    }))
    const responses = [
      { toolCalls: toolCalls.slice(calls / 2) },
      { toolCalls: toolCalls.slice(0, calls / 2) },
      'Done.',
    ]
    const model = { id: 'long', provider: 'mock', model: 'long', hosts: [] }
    const studio = await startStudio({
      models: [{ ...model, open: () => createMock({ model: 'long', responses }) }],
      tools: [probe],
    })
    const { page, errors } = await openPage(browser, studio, { bypassCSP: true })
    await page.getByText('Options').click()
    await page.getByLabel('Ask me before each tool call').uncheck()
    const stopTrace = await traceTasks(browser, page)
    await page.getByLabel('Message', { exact: true }).fill('Go')
    await page.keyboard.press('Enter')
    await page.locator('.figures').waitFor()
    expect(await page.locator('.tool').count()).toBeLessThanOrEqual(80)
    await page.getByRole('button', { name: /earlier parts/ }).click()
    expect(await page.locator('.tool').count()).toBeGreaterThan(80)

    await page.getByRole('link', { name: 'Timeline' }).click()
    const table = page.getByRole('group', {
      name: `Calls of this run on a time axis: ${calls + 4}`,
    })
    await table.locator('.bar').first().waitFor()
    expect(await table.locator('tbody tr').count()).toBeLessThan(120)
    expect(await table.locator('table').getAttribute('aria-rowcount')).toBe(String(calls + 5))

    // From the first call to the last and back with the keys that a browser scrolls with.
    await table.focus()
    for (let presses = 0; presses < 12; presses++) await page.keyboard.press('PageDown')
    await page.keyboard.press('End')
    await table.getByText('mock long').last().waitFor()
    await page.keyboard.press('Home')
    await table.getByText('mock long').first().waitFor()
    await page.keyboard.press('End')
    await table.locator(`tr[aria-rowindex="${calls + 5}"]`).waitFor()
    const longest = await stopTrace()
    console.log(`${calls} tool calls: the longest task took ${longest} ms of processor time`)
    atMostWhereQuiet(longest, 50)
    expect(await violations(page)).toEqual([])
    expect(errors).toEqual([])

    // A page that is opened anew reads all events of the kept run.
    const stopSecond = await traceTasks(browser, page)
    await page.reload()
    // The browser may scroll back to where it was: which calls are in sight is its choice.
    await table.locator('.bar').first().waitFor()
    const again = await stopSecond()
    console.log(`opened anew: the longest task took ${again} ms of processor time`)
    atMostWhereQuiet(again, 50)
    await page.context().close()
    await studio.close()
  })

  test('the list of runs and a conversation keep drawing while ten runs stream', async () => {
    const seconds = atSize(2, 8)
    const text = '**word** of a reply, '.repeat(seconds * 150)
    const model = { id: 'slow', provider: 'mock', model: 'slow', hosts: [] }
    const open = () => createMock({ responses: [{ text }], chunkSize: 12, delayMs: 5 })
    const studio = await startStudio({ models: [{ ...model, open }] })
    const { page, errors } = await openPage(browser, studio)
    const session = await sessionOf(studio)
    for (let run = 0; run < 10; run++)
      await fetch(new URL('/api/runs', studio.url), {
        method: 'POST',
        headers: { 'x-modelport-session': session },
        body: JSON.stringify({
          model: 'slow',
          messages: [{ role: 'user', content: `question ${run}` }],
        }),
      })
    const running = page.locator('.state.is-running')

    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByRole('link', { name: 'question 9' }).waitFor()
    const inList = await framesOf(page, (seconds * 1000) / 4)
    await page.getByRole('link', { name: 'question 9' }).click()
    await page.locator('.markdown strong').first().waitFor()
    const inChat = await framesOf(page, (seconds * 1000) / 4)
    expect(await running.count()).toBeGreaterThan(0)

    for (const [view, { perSecond, worst, longTasks }] of [
      ['the list', inList],
      ['a conversation', inChat],
    ] as const) {
      console.log(
        `ten runs, ${view}: ${perSecond} frames a second, the longest gap ${worst} ms, ${longTasks} tasks over 50 ms`,
      )
      expect(perSecond).toBeGreaterThan(0)
      atMostWhereQuiet(60 - perSecond, 2)
      atMostWhereQuiet(longTasks, 0)
    }
    expect(errors).toEqual([])
    await page.context().close()
    await studio.close()
  })
})

/** The session of a second page. */
async function sessionOf(studio: ServedStudio): Promise<string> {
  const url = new URL(studio.newUrl())
  const response = await fetch(new URL('/api/session', url), {
    method: 'POST',
    body: JSON.stringify({ token: url.hash.replace('#token=', '') }),
  })
  return ((await response.json()) as { readonly session: string }).session
}

/** How often the page draws in so many milliseconds, and what keeps it from it. */
const framesOf = (page: Page, ms: number) =>
  page.evaluate(
    (limit) =>
      new Promise<{ perSecond: number; worst: number; longTasks: number }>((resolve) => {
        let longTasks = 0
        const observer = new PerformanceObserver((list) => {
          longTasks += list.getEntries().length
        })
        observer.observe({ entryTypes: ['longtask'] })
        const times: number[] = []
        const next = (now: number): void => {
          times.push(now)
          const [first = now] = times
          if (now - first < limit) {
            requestAnimationFrame(next)
            return
          }
          observer.disconnect()
          const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time))
          const perSecond = Math.round((gaps.length * 1000) / (now - first))
          resolve({ perSecond, worst: Math.round(Math.max(...gaps)), longTasks })
        }
        requestAnimationFrame(next)
      }),
    ms,
  )
