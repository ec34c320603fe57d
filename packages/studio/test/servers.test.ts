import { createAgent } from '@modelport/agent'
import { mcpTools } from '@modelport/mcp'
import { createMock, type MockResponse } from '@modelport/provider-mock'
import { defineTool, type ToolSource } from '@modelport/runtime'
import { createAgentClient } from '@modelport/serve'
import { serve } from '@modelport/serve/node'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StudioAgent } from '../src/index.js'
import { expectPicture } from './pictures.js'
import { attacks, hasBrowser, launch, openPage, startStudio, violations } from './support.js'

const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount in euros',
  parameters: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
  execute: () => 'paid',
})

/** A served agent that asks before it pays. */
const bank = (responses: readonly MockResponse[]) =>
  serve([
    createAgent({
      card: {
        name: 'bank',
        description: 'Pays bills',
        skills: [{ id: 'pay', description: 'Pays one bill' }],
      },
      provider: createMock({ responses }),
      tools: [pay],
      policy: { rules: { 'tool.pay': 'require-approval' } },
    }),
  ])

const toAgent = (url: string): StudioAgent => ({
  url,
  hosts: createAgentClient(url).hosts(),
  open: (fetch) => createAgentClient(url, { fetch }),
})

const mcp = (name = 'mcp server'): ToolSource =>
  mcpTools({
    name,
    transport: {
      command: process.execPath,
      args: [new URL('fixtures/mcp-server.mjs', import.meta.url).pathname],
    },
  })

const go = (page: Page, view: string): Promise<void> =>
  page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: view, exact: true })
    .click()

const ask = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel('Message', { exact: true }).fill(text)
  await page.keyboard.press('Enter')
}

describe.skipIf(!hasBrowser)('agents and MCP servers in the page', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())

  test('the page reads the card of an agent, chats with it, decides on its approval and continues the conversation', async () => {
    const agent = await bank([
      { toolCalls: [{ name: 'pay', arguments: { amount: 12 } }] },
      'The bill is paid.',
      'You are welcome.',
    ])
    const studio = await startStudio({ agents: [toAgent(agent.url)] })
    const { page, errors } = await openPage(browser, studio, { bypassCSP: true })
    await go(page, 'Agents')
    await page.getByRole('button', { name: 'Read the card' }).click()
    await page.getByText('Pays one bill').waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Chat with it' }).click()
    await ask(page, 'Pay my bill of 12 euros')
    const allow = page.getByRole('button', { name: 'Allow' })
    await allow.waitFor()
    expect(await page.locator('.tool-asking pre').innerText()).toContain('"amount": 12')
    await expectPicture(page, 'agent')
    await allow.click()
    await page.locator('.markdown', { hasText: 'The bill is paid.' }).waitFor()
    await ask(page, 'Thank you')
    await page.locator('.markdown', { hasText: 'You are welcome.' }).waitFor()
    await page.getByRole('link', { name: 'Timeline' }).click()
    await page.getByRole('rowheader', { name: 'agent' }).waitFor()
    await page.getByRole('link', { name: 'Context' }).click()
    await page.getByText('are made in its own process').waitFor()
    await page.getByRole('link', { name: 'Raw' }).click()
    await page.locator('.exchange').first().waitFor()
    // The second message went to the conversation of the first.
    expect(await page.locator('.exchange').last().innerText()).toContain('contextId')
    await go(page, 'Hosts')
    await page.getByRole('cell', { name: agent.url }).waitFor()
    expect(errors).toEqual([])
    await page.close()
    await studio.close()
    await agent.close()
  })

  test('the page says what to do when an agent cannot be reached', async () => {
    const agent = await bank(['unused'])
    const studio = await startStudio({ agents: [toAgent(agent.url)] })
    await agent.close()
    const { page } = await openPage(browser, studio)
    await go(page, 'Agents')
    await page.getByRole('button', { name: 'Read the card' }).click()
    await page.getByText('Is the agent running?').waitFor()
    await page.close()
    await studio.close()
  })

  test('the page lists the tools of an MCP server, and runs one after showing its exact arguments', async () => {
    const source = mcp()
    const studio = await startStudio({ tools: [], sources: [source] })
    const { page, errors } = await openPage(browser, studio, { bypassCSP: true })
    await go(page, 'Tools')
    await page.getByText('Adds two numbers').click()
    // The form says what is missing, in place, and moves the focus there.
    const run = page.getByRole('button', { name: 'Run it' }).first()
    await run.click()
    await page.getByText('Enter a number.').first().waitFor()
    const first = page.getByLabel('a', { exact: true })
    await expect
      .poll(() => first.evaluate((element) => element === document.activeElement))
      .toBe(true)
    expect(await violations(page)).toEqual([])
    await page.keyboard.type('1')
    await page.keyboard.press('Tab')
    await page.keyboard.type('2')
    // The exact call stands above the button while the form is filled in.
    await page.locator('.by-hand[open] form').getByText('"b": 2').waitFor()
    await page.getByRole('button', { name: 'Edit as JSON' }).first().click()
    const args = page.getByLabel('Arguments of add, as JSON')
    expect(JSON.parse(await args.inputValue())).toEqual({ a: 1, b: 2 })
    await args.fill('[1]')
    await run.click()
    await page.getByText('must be a JSON object').waitFor()
    await args.fill('{"a": 2, "b": 40}')
    await run.click()
    await page
      .getByRole('status')
      .getByText('[from MCP server "mcp server"] 42', { exact: true })
      .waitFor()
    await page.getByRole('button', { name: 'Edit as a form' }).click()
    expect(await page.getByLabel('b', { exact: true }).inputValue()).toBe('40')
    expect(await violations(page)).toEqual([])
    await expectPicture(page, 'tools')
    await page.getByRole('button', { name: 'Edit as JSON' }).first().click()
    await args.fill('{"a": "two"}')
    await run.click()
    await page.getByRole('status').getByText('failed').waitFor()
    expect(errors).toEqual([])
    await page.close()
    await studio.close()
    await source.close()
  })

  test('the page says that a call whose reply was lost may have had its effect, and not of one that only reads', async () => {
    const called: string[] = []
    const toolOf = (name: string, fields: object = {}) =>
      defineTool({
        name,
        description: `What ${name} does`,
        execute: () => {
          called.push(name)
          throw Object.assign(new Error(`socket hang up at ${name}`), { code: 'ECONNRESET' })
        },
        ...fields,
      })
    const source: ToolSource = {
      name: 'bank',
      apiHosts: [],
      tools: () => Promise.resolve([toolOf('transfer'), toolOf('look', { readOnly: true })]),
      close: () => Promise.resolve(),
    }
    const studio = await startStudio({ tools: [], sources: [source] })
    const { page, errors } = await openPage(browser, studio)
    await go(page, 'Tools')
    const said = async (name: string): Promise<string> => {
      await page.getByText(`What ${name} does`).click()
      const form = page.locator('.by-hand[open]', { hasText: `What ${name} does` })
      await form.getByRole('button', { name: 'Run it' }).click()
      const status = form.getByRole('status')
      await status.getByText('socket hang up').waitFor()
      return status.innerText()
    }
    expect(await said('transfer')).toContain(
      'socket hang up at transfer; whether it had an effect is unknown',
    )
    expect(await said('look')).not.toContain('unknown')
    expect([called, errors]).toEqual([['transfer', 'look'], []])
    await page.close()
    await studio.close()
  })

  test('the page runs a tool of the studio itself by hand, with one click', async () => {
    const studio = await startStudio()
    const { page, errors } = await openPage(browser, studio)
    await go(page, 'Tools')
    await page.getByText('The weather in a city').click()
    await page.getByLabel('city').fill('Oslo')
    await page.getByRole('button', { name: 'Run it' }).click()
    await page.getByRole('status').getByText('"celsius"').waitFor()
    expect(errors).toEqual([])
    await page.close()
    await studio.close()
  })

  test('the page lets a model call a tool of an MCP server after an approval', async () => {
    const source = mcp()
    const responses = [{ toolCalls: [{ name: 'add', arguments: { a: 2, b: 40 } }] }, 'It is 42.']
    const model = { id: 'scripted', provider: 'mock', model: 'scripted', hosts: [] }
    const studio = await startStudio({
      models: [{ ...model, open: () => createMock({ responses }) }],
      tools: [],
      sources: [source],
    })
    const { page, errors } = await openPage(browser, studio)
    await ask(page, 'Add 2 and 40')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.locator('.markdown', { hasText: 'It is 42.' }).waitFor()
    expect(await page.locator('.tool-done details pre').textContent()).toBe(
      '[from MCP server "mcp server"]\n42',
    )
    expect(errors).toEqual([])
    await page.close()
    await studio.close()
    await source.close()
  })

  test('the page does nothing that the text of an agent or of an MCP server says', async () => {
    const text = attacks.join('\n\n')
    const source = mcp('<img src=x onerror="window.hacked=1">')
    const agent = await serve([
      createAgent({
        card: {
          name: text,
          description: text,
          skills: [{ id: 'x', name: text, description: text }],
        },
        provider: createMock({ responses: [text] }),
      }),
    ])
    const studio = await startStudio({ sources: [source], agents: [toAgent(agent.url)] })
    const { page, errors } = await openPage(browser, studio)
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await go(page, 'Tools')
    await page.getByText('<script>').first().click()
    await page.getByRole('button', { name: 'Run it' }).last().click()
    await page.getByRole('status').getByText('done').waitFor()
    await go(page, 'Agents')
    await page.getByRole('button', { name: 'Read the card' }).click()
    await page.locator('.skills').waitFor()
    await page.getByRole('button', { name: 'Chat with it' }).click()
    await ask(page, 'Hello')
    await page.locator('.figures').waitFor()
    expect(await page.evaluate(() => (globalThis as { hacked?: unknown }).hacked)).toBeUndefined()
    expect(requests.filter((url) => !url.startsWith(new URL(studio.url).origin))).toEqual([])
    expect(errors).toEqual([])
    await page.close()
    await studio.close()
    await source.close()
    await agent.close()
  })
})
