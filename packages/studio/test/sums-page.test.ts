import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { startProgram } from './start-program.js'
import { hasBrowser, launch, openPage, startStudio } from './support.js'

/** What a call of the server charges. */
interface Charge {
  readonly input: number
  readonly output: number
  readonly cached: number
}

type Call = readonly [name: string, args: Readonly<Record<string, unknown>>]

/** What the model calls next: it delegates, hands over, and ends. */
function nextCall(body: string): Call | undefined {
  if (!body.includes('Team work')) return undefined
  const results = body.split('"role":"tool"').length - 1
  const calls: readonly Call[] = [
    ['delegate_to_agent', { agent: 'adder', prompt: 'What is 2 + 2?' }],
    ['hand_off', { to: 'billing' }],
  ]
  return calls[results]
}

/** A server that fails its second request, and counts what it charges for the others. */
async function openServer() {
  const charges: Charge[] = []
  let requests = 0
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      response.setHeader('content-type', 'application/json')
      if (++requests === 2) {
        response.writeHead(503).end('{"error":{"message":"overloaded"}}')
        return
      }
      const number = charges.length + 1
      const charge = { input: 1000 + 137 * number, output: 10 + number, cached: 500 + number }
      charges.push(charge)
      const [name, args] = nextCall(body) ?? []
      const call = { name, arguments: JSON.stringify(args) }
      const message = name
        ? { content: null, tool_calls: [{ id: `c${number}`, type: 'function', function: call }] }
        : { content: 'Done.' }
      response.end(
        JSON.stringify({
          ...{ id: `r${number}`, object: 'chat.completion', model: 'tiny' },
          choices: [
            {
              ...{ index: 0, message: { role: 'assistant', ...message } },
              finish_reason: name ? 'tool_calls' : 'stop',
            },
          ],
          usage: {
            prompt_tokens: charge.input,
            completion_tokens: charge.output,
            total_tokens: charge.input + charge.output,
            prompt_tokens_details: { cached_tokens: charge.cached },
          },
        }),
      )
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return { charges, url, requests: () => requests }
}

const tokensOf = (charges: readonly Charge[]): string =>
  charges.reduce((sum, { input, output }) => sum + input + output, 0).toLocaleString('en')

/** With the digits that the page gives an amount between one cent and one dollar, or below. */
function costOf(charges: readonly Charge[]): string {
  const cost = charges.reduce(
    (sum, { input, output, cached }) => sum + (input - cached) * 2 + cached * 0.5 + output * 8,
    0,
  )
  return `$${(cost / 1e6).toFixed(cost >= 10_000 ? 4 : 6)}`
}

describe.skipIf(!hasBrowser)('the sums on the page', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())

  /** Cells of the first row with this name, as text. */
  const cells = async (page: Page, table: string, name: string): Promise<readonly string[]> =>
    page.locator(`${table} tbody tr`, { hasText: name }).first().locator('td').allInnerTexts()

  test('every sum on the screen is what the server charged, for a run that delegates, hands over and retries', async () => {
    const { charges, url, requests } = await openServer()
    const served = await startStudio()
    onTestFinished(() => served.close())
    const { done } = startProgram('team', temporaryFolder('sums-page'), {
      ...{ MODELPORT_STUDIO: served.programUrl, SERVER: url },
    })
    const { status, stderr } = await done
    expect(status, stderr).toBe(0)
    // The first, the failed one, that of the adder, then those after the result and the hand-off.
    expect([requests(), charges.length]).toEqual([5, 4])
    const [ofAdder] = charges.slice(1, 2)
    const ofTeam = charges.filter((one) => one !== ofAdder)

    const { page, errors } = await openPage(browser, served)
    onTestFinished(() => page.context().close())
    await page.getByRole('link', { name: 'Runs' }).click()
    const list = page.locator('.runs')
    await list.getByRole('link', { name: 'Team work', exact: true }).waitFor()
    await list.getByText(`${tokensOf(charges)} tokens`).waitFor()
    await list.getByText(costOf(charges)).first().waitFor()
    const row = await cells(page, '.runs', 'Team work')
    expect(row).toContain(tokensOf(charges))
    expect(row).toContain(costOf(charges))

    await list.getByRole('link', { name: 'Team work', exact: true }).click()
    await page.getByRole('link', { name: 'Timeline' }).click()
    const rows = page.locator('.waterfall tbody tr')
    await expect.poll(() => rows.filter({ hasText: 'tiny' }).count()).toBe(charges.length)
    const figures = await page.locator('.figures').first().innerText()
    expect(figures).toContain(costOf(charges))
    const shown = await rows.filter({ hasText: 'tiny' }).allInnerTexts()
    const inOrder = [charges[0], ofAdder, charges[2], charges[3]]
    for (const [index, one] of inOrder.entries()) {
      expect(shown[index]).toContain(tokensOf(one ? [one] : []))
      expect(shown[index]).toContain(costOf(one ? [one] : []))
    }
    // The task of the agent, and the run in it: each row is the sum of what is below it.
    const ofAgent = await rows.filter({ hasText: 'What is 2 + 2?' }).allInnerTexts()
    expect(ofAgent.length).toBeGreaterThan(0)
    for (const text of ofAgent) {
      expect(text).toContain(tokensOf(charges.slice(1, 2)))
      expect(text).toContain(costOf(charges.slice(1, 2)))
    }
    await rows.filter({ hasText: 'tiny' }).first().getByRole('button').first().click()
    const details = await page.getByRole('region', { name: /^Details of/ }).innerText()
    expect(details).toContain(costOf(charges.slice(0, 1)))
    expect(details).toMatch(new RegExp(`Cached\\s+${charges[0]?.cached}`))

    await page.getByRole('link', { name: 'Overview' }).click()
    for (const grouping of ['By model', 'By program', 'By day']) {
      await page.getByRole('button', { name: grouping }).click()
      await page.getByRole('button', { name: grouping, pressed: true }).waitFor()
      const sums = page.locator('.overview tbody')
      await sums.getByText(costOf(charges)).first().waitFor()
      await sums.getByText(tokensOf(charges)).first().waitFor()
    }
    expect(ofTeam).toHaveLength(3)
    expect(errors).toEqual([])
  })
})
