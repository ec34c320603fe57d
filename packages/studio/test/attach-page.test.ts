import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createMock } from '@modelport/provider-mock'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { startProgram } from './start-program.js'
import { attacks, hasBrowser, launch, openPage, startStudio, violations } from './support.js'

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const chunk = (content: string): string =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`

/** A server of Chat Completions that begins a reply and never ends it. */
async function openServer(texts: readonly string[]): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const text of texts) response.write(chunk(text))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

describe.skipIf(!hasBrowser)('the page of a program that is attached', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())

  test('a program that is killed is found on the page with what had arrived, why it ended, and its texts as text', async () => {
    const served = await startStudio()
    onTestFinished(() => served.close())
    const { page, errors } = await openPage(browser, served)
    onTestFinished(() => page.context().close())
    const state = temporaryFolder('attach-page')
    const { PATH, NODE_COMPILE_CACHE } = process.env
    const sources = pathOf('../../../scripts/sources.mjs')
    const child = spawn(
      process.execPath,
      [
        '--import',
        sources,
        '--import',
        '@modelport/studio/attach',
        pathOf('./programs/attached.ts'),
        'served',
      ],
      {
        env: {
          ...{
            PATH,
            NODE_COMPILE_CACHE,
            HOME: state,
            XDG_STATE_HOME: state,
            MODELPORT_STUDIO: served.programUrl,
          },
          ...{
            TEST_API_KEY: 'tk-9f8e7d6c5b4a39281706',
            SERVER: await openServer(['It is ', ...attacks, ' the end.']),
          },
        },
      },
    )
    onTestFinished(() => void child.kill('SIGKILL'))
    await expect
      .poll(async () => {
        await page.goto(`${new URL(served.url).origin}/#/chat`)
        await page.getByRole('link', { name: 'Runs' }).click()
        return page.getByRole('link', { name: 'What is a kill?' }).count()
      })
      .toBe(1)
    await page.getByRole('link', { name: 'What is a kill?' }).click()
    await page.getByText('This happens in the program.').waitFor()
    await page.locator('.assistant', { hasText: 'the end.' }).waitFor()
    expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0)
    child.kill('SIGKILL')
    await page.getByRole('alert').getByText('interrupted').waitFor()
    expect(await page.getByRole('alert').innerText()).toContain(
      'attached.ts ended during this run.',
    )
    expect(await page.getByRole('log').innerText()).toContain('What is a kill?')
    await page.getByRole('link', { name: 'Timeline' }).click()
    await page.getByText('openai-compatible tiny').first().waitFor()
    expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false)
    expect(errors).toEqual([])
  })

  test('a model call of a program shows what it was sent that is new, next to what came back, and its whole request', async () => {
    const served = await startStudio()
    onTestFinished(() => served.close())
    const { done } = startProgram('steps', temporaryFolder('attach-page'), {
      MODELPORT_STUDIO: served.programUrl,
    })
    await done
    const { page, errors } = await openPage(browser, served, { bypassCSP: true })
    onTestFinished(() => page.context().close())
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByRole('link', { name: 'Go', exact: true }).click()
    await page.getByRole('link', { name: 'Timeline' }).click()
    await page
      .getByRole('button', { name: /mock mock$/ })
      .nth(2)
      .click()
    const details = page.getByRole('region', { name: 'Details of mock mock' })
    const sent = details.getByRole('region', { name: 'Sent' })
    await sent.getByText('asked 2').waitFor()
    expect(await sent.getByText('asked 1').count()).toBe(0)
    await sent.getByRole('button', { name: '+ 4 messages before' }).click()
    await sent.getByText('asked 1').waitFor()
    await details.getByRole('region', { name: 'Came back' }).getByText('{"about":3}').waitFor()
    await sent.getByText('Options and tools are those of the call before.').waitFor()
    expect(await violations(page)).toEqual([])

    await details.getByRole('link', { name: 'Raw request' }).click()
    const request = page.getByRole('region', { name: 'Request 3' })
    await request.getByRole('searchbox', { name: 'Search in the request' }).fill('Asks another')
    await request.getByText('"Asks another model."').waitFor()
    expect(await violations(page)).toEqual([])
    expect(errors).toEqual([])
  })

  test('an option that a program changed between two calls is named with both values', async () => {
    const served = await startStudio()
    onTestFinished(() => served.close())
    const { done } = startProgram('changes', temporaryFolder('attach-page'), {
      MODELPORT_STUDIO: served.programUrl,
    })
    await done
    const { page, errors } = await openPage(browser, served)
    onTestFinished(() => page.context().close())
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByRole('link', { name: 'Change it', exact: true }).click()
    await page.getByRole('link', { name: 'Step 2', exact: true }).click()
    await page
      .getByRole('region', { name: 'Sent' })
      .getByText('temperature: not sent → 1')
      .waitFor()
    expect(errors).toEqual([])
  })

  test('a step of a program is asked again of the model that the studio has at its name, and the button says which', async () => {
    const provider = createMock({ responses: ['Asked again.'] })
    const mock = { provider: 'mock', hosts: [], open: () => provider }
    const models = [
      { ...mock, id: 'other', model: 'other' },
      { ...mock, id: 'mine', model: 'mock' },
    ]
    const served = await startStudio({ models })
    onTestFinished(() => served.close())
    const { done } = startProgram('steps', temporaryFolder('attach-page'), {
      MODELPORT_STUDIO: served.programUrl,
    })
    await done
    const { page, errors } = await openPage(browser, served)
    onTestFinished(() => page.context().close())
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByRole('link', { name: 'Go', exact: true }).click()
    await page.getByRole('link', { name: 'Step 3', exact: true }).click()
    await page.getByRole('button', { name: 'Run again from here with mine' }).click()
    await page.locator('.markdown', { hasText: 'Asked again.' }).waitFor()
    expect(provider.requests[0]?.messages).toMatchObject([
      ...[{ content: 'Go' }, { role: 'assistant' }, { content: 'asked 1' }],
      ...[{ role: 'assistant' }, { content: 'asked 2' }],
    ])
    expect(errors).toEqual([])
  })

  test('a trace of a program that knows nothing of us is found, read and searched on the page, and its texts stay texts', async () => {
    const served = await startStudio()
    onTestFinished(() => served.close())
    const { origin, hash } = new URL(served.programUrl)
    const text = (key: string, stringValue: string): object => ({ key, value: { stringValue } })
    const nano = (second: number): string =>
      String((1_700_000_000n + BigInt(second)) * 1_000_000_000n)
    const names = ['chat', 'execute_tool', 'invoke_agent']
    const spans = attacks.flatMap((attack, index) => {
      const messages = (role: string): string =>
        JSON.stringify([{ role, parts: [{ type: 'text', content: attack }] }])
      return names.map((operation, at) => ({
        ...{
          traceId: String(index + 1).padStart(32, '0'),
          spanId: String(at + 1).padStart(16, '0'),
          name: attack,
        },
        ...{ startTimeUnixNano: nano(index * 10 + at), endTimeUnixNano: nano(index * 10 + at + 1) },
        attributes: [
          ...[text('gen_ai.operation.name', operation), text('gen_ai.request.model', attack)],
          ...[
            text('gen_ai.provider.name', attack),
            text('gen_ai.tool.name', attack),
            text('gen_ai.agent.name', attack),
          ],
          ...[text('gen_ai.tool.call.arguments', attack), text('gen_ai.tool.call.result', attack)],
          ...[
            text('gen_ai.input.messages', messages('user')),
            text('gen_ai.output.messages', messages('assistant')),
          ],
          text('error.type', attack),
        ],
        status: { code: operation === 'invoke_agent' ? 2 : 0, message: attack },
      }))
    })
    const resource = { attributes: [text('service.name', `shop ${attacks[0]}`)] }
    const response = await fetch(`${origin}/v1/traces`, {
      method: 'POST',
      headers: { authorization: `Bearer ${hash.slice(1)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }),
    })
    expect(await response.json()).toEqual({})
    const { page, errors } = await openPage(browser, served)
    onTestFinished(() => page.context().close())
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByText(`${attacks.length} runs`).waitFor()
    expect(await page.getByLabel('Program').innerText()).toContain('shop <img src=x')
    for (let index = 0; index < attacks.length; index++) {
      await page.goto(`${origin}/#/chat/trace-${String(index + 1).padStart(32, '0')}`)
      // What is on the page then is not of the run before.
      await page.reload()
      await page.getByRole('alert').waitFor()
      await page.getByRole('log').locator('.tool').first().waitFor()
      await page.getByRole('link', { name: 'Timeline' }).click()
      await page.locator('.waterfall .of-tool').first().waitFor()
    }
    expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false)
    expect(errors).toEqual([])
  })
})
