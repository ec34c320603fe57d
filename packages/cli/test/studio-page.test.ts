import { readFile } from 'node:fs/promises'
import { createAgent } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { serve } from '@modelport/serve/node'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildPage } from '../../studio/build-page.mjs'
import { startMcpServer } from '../../studio/test/mcp-over-http.js'
import { hasBrowser, launch, openPage } from '../../studio/test/support.js'
import { useModel } from './set-up.js'
import { startCommand } from './test-io.js'
import { key, writeTools } from './wire.js'

const { home, server } = useModel({ fields: 'profile: {supports_tools: true}' })

beforeAll(() => buildPage(new URL('../../studio/dist/page', import.meta.url).pathname))

/** Starts the command and opens the address that it prints in a browser. */
async function open(args: readonly string[] = []) {
  let seen = ''
  const running = startCommand(['studio', '--json', ...args], {
    home: home.path,
    environment: { MY_KEY: key },
    onOutput: (text) => (seen += text),
  })
  await expect.poll(() => seen).toContain('"url"')
  const { url } = JSON.parse(seen) as { readonly url: string }
  const browser = await launch()
  const { page, errors } = await openPage(browser, { url })
  return {
    page,
    errors,
    close: async () => {
      await browser.close()
      running.interrupt()
      expect((await running.done).code).toBe(0)
    },
  }
}

describe.skipIf(!hasBrowser)('the command studio in Chromium', () => {
  test('the command studio in Chromium saves a run as a cassette, and replays it without a request', async () => {
    const { page, errors, close } = await open(['--tools', writeTools(home.path)])
    await page.getByLabel('Message', { exact: true }).fill('Say something plain')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.locator('.markdown', { hasText: 'Plain text' }).waitFor()
    await page.getByRole('link', { name: 'Raw' }).click()
    await page.getByText('/chat/completions').first().waitFor()
    expect(await page.locator('main').innerText()).not.toContain(key)
    const downloaded = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as a cassette' }).click()
    const file = await (await downloaded).path()
    expect(await readFile(file, 'utf8')).not.toContain(key)
    const sent = server.requests.length
    expect(sent).toBeGreaterThan(1)

    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByLabel('Open a cassette or a run…').setInputFiles(file)
    await page.getByText('It replays 2 recorded exchanges').waitFor()
    await page.getByLabel('Message', { exact: true }).fill('Say something plain')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.locator('.markdown', { hasText: 'Plain text' }).waitFor()
    await page.getByRole('button', { name: 'New conversation' }).click()
    await page.getByLabel('Message', { exact: true }).fill('Something else')
    await page.keyboard.press('Enter')
    await page.getByText('expected "Say something plain", sent "Something else"').waitFor()
    expect(server.requests).toHaveLength(sent)

    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByLabel('Open a cassette or a run…').setInputFiles({
      name: 'notes.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('not JSON'),
    })
    await page.getByText('notes.txt is not JSON').waitFor()
    expect(errors).toEqual([])
    await close()
  }, 120_000)

  test('the command studio in Chromium shows an MCP server over HTTP and an agent with their hosts, and calls both', async () => {
    const mcp = await startMcpServer()
    const agent = await serve([
      createAgent({
        card: { name: 'echo', description: 'Says hello' },
        provider: createMock({ responses: ['Hello from afar!'] }),
      }),
    ])
    const { page, errors, close } = await open(['--memory', '--mcp', mcp.url, '--agent', agent.url])
    await page.getByRole('link', { name: 'Tools' }).click()
    await page.getByText('Multiplies two numbers').click()
    await page.getByLabel('a', { exact: true }).fill('6')
    await page.getByLabel('b', { exact: true }).fill('7')
    await page.getByRole('button', { name: 'Run it' }).click()
    await page
      .getByRole('status')
      .getByText(/^\[from MCP server .*\]\s42$/)
      .waitFor()
    await page.getByRole('link', { name: 'Hosts' }).click()
    for (const { url } of [mcp, agent]) {
      await page.getByRole('cell', { name: url }).waitFor()
      await page.getByRole('rowheader', { name: new URL(url).host }).waitFor()
    }
    await page.getByRole('link', { name: 'Agents' }).click()
    await page.getByRole('button', { name: 'Chat with it' }).click()
    await page.getByLabel('Message', { exact: true }).fill('Hello')
    await page.keyboard.press('Enter')
    await page.locator('.markdown', { hasText: 'Hello from afar!' }).waitFor()
    expect(errors).toEqual([])
    await close()
    await agent.close()
    await mcp.close()
  }, 120_000)

  test('the command studio in Chromium shows arguments whose characters would be read in another order as what they are', async () => {
    const { page, close } = await open(['--memory', '--tools', writeTools(home.path)])
    await page.getByLabel('Message', { exact: true }).fill('What is the weather? Something evil')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    expect(await page.locator('.tool-asking pre').innerText()).toContain('"city": "Rome\\u202e"')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.locator('.figures').waitFor()
    // Escape sequences of terminals are text here, and do not reach the clipboard or the title.
    expect(await page.title()).toBe('Chat · modelport studio')
    await close()
  }, 120_000)
})
