import { createAgent } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { createAgentClient } from '@modelport/serve'
import { serve } from '@modelport/serve/node'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attacks, hasBrowser, launch, openPage, startStudio, violations } from './support.js'

const hostile = attacks.slice(0, 3).join('\n')
const book = defineTool({
  name: 'book_table',
  description: 'Books a table for tonight',
  execute: async (_, { ask }) => {
    const people = await ask({
      message: `For how many people?\n${hostile}`,
      from: 'the inn <b>',
      schema: {
        type: 'object',
        properties: { people: { type: 'integer', minimum: 1 } },
        required: ['people'],
      },
    })
    if (people.action !== 'accept') return 'not booked'
    const paid = await ask({
      message: 'Pay the deposit.',
      url: 'https://pay.example/deposit?table=4#now',
    })
    return `a table for ${String(people.content.people)}, deposit: ${paid.action}`
  },
})
const responses = [{ toolCalls: [{ name: 'book_table', arguments: {} }] }, 'That is all.']
const scripted = {
  ...{ id: 'scripted', provider: 'mock', model: 'scripted', hosts: [] },
  open: () => createMock({ responses }),
}

const say = async (page: Page): Promise<void> => {
  await page.getByLabel('Message', { exact: true }).fill('Book a table')
  await page.keyboard.press('Enter')
}
const card = (page: Page) => page.getByRole('group', { name: /^Answer .*book_table\?$/ })
const settled = (page: Page) => page.locator('.approval [aria-disabled=false]').first().waitFor()

/**
 * Answers both questions; the first with content that does not fit, then with content that does.
 */
async function answerBoth(page: Page): Promise<void> {
  await settled(page)
  const shown = await card(page).innerText()
  expect(shown).toContain('the inn <b> asks you:')
  expect(shown).toContain(`For how many people?\n${hostile}`)
  expect(await violations(page)).toEqual([])
  await page.getByLabel('people').fill('0')
  await card(page).getByRole('button', { name: 'Answer', exact: true }).click()
  await card(page).getByText('content does not fit the question').waitFor()
  await page.getByLabel('people').fill('4')
  await card(page).getByRole('button', { name: 'Answer', exact: true }).click()
  const link = card(page).getByRole('link', {
    name: 'https://pay.example/deposit?table=4#now',
    exact: true,
  })
  await link.waitFor()
  await settled(page)
  expect(await link.getAttribute('href')).toBe('https://pay.example/deposit?table=4#now')
  await card(page).getByRole('button', { name: 'Opened and done' }).click()
  await page.locator('.figures').waitFor()
}

describe.skipIf(!hasBrowser)('questions of tools in the page', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())

  /** The page of a studio, with the addresses it requested. */
  async function pageOf(studio: Awaited<ReturnType<typeof startStudio>>) {
    const { page, errors } = await openPage(browser, studio, { bypassCSP: true })
    const elsewhere: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(new URL(studio.url).origin)) elsewhere.push(request.url())
    })
    return { page, errors, elsewhere }
  }

  test('the page shows the questions of a tool, refuses content that does not fit, and the tool gets the answers', async () => {
    const studio = await startStudio({ models: [scripted], tools: [book] })
    const { page, errors, elsewhere } = await pageOf(studio)
    await say(page)
    await page.getByRole('button', { name: 'Allow' }).click()
    await answerBoth(page)
    expect(await page.locator('.tool-done details pre').textContent()).toBe(
      'a table for 4, deposit: accept',
    )
    expect(elsewhere).toEqual([])
    // The browser logs the refusal of the content that does not fit.
    expect(errors).toEqual([expect.stringContaining('status of 400')])
    await page.close()
    await studio.close()
  })

  test('the page declines a question, and the tool reads that', async () => {
    const studio = await startStudio({ models: [scripted], tools: [book] })
    const { page, errors } = await pageOf(studio)
    await say(page)
    await page.getByRole('button', { name: 'Allow' }).click()
    await settled(page)
    await card(page).getByRole('button', { name: 'Decline' }).click()
    await page.locator('.figures').waitFor()
    expect(await page.locator('.tool-done details pre').textContent()).toBe('not booked')
    expect(errors).toEqual([])
    await page.close()
    await studio.close()
  })

  test('the page answers the questions that a remote agent passes on, also in a run that asks for no approvals', async () => {
    const served = await serve([
      createAgent({
        card: { name: 'inn', description: 'Books' },
        provider: createMock({ responses }),
        tools: [book],
      }),
    ])
    const client = createAgentClient(served.url)
    const agent = {
      url: served.url,
      hosts: client.hosts(),
      open: (fetch?: typeof globalThis.fetch) => createAgentClient(served.url, { fetch }),
    }
    const studio = await startStudio({ models: [], agents: [agent], tools: [book] })
    const { page, elsewhere } = await pageOf(studio)
    await page.locator('summary', { hasText: /^Options/ }).click()
    await page.getByLabel('Ask me before each tool call').uncheck()
    await say(page)
    await answerBoth(page)
    expect(await page.locator('.markdown').last().innerText()).toBe('That is all.')
    expect(elsewhere).toEqual([])
    await page.close()
    await studio.close()
    await served.close()
  })
})
