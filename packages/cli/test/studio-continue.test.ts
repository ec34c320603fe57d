import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { WireReply } from '@modelport/conformance/wire-server'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { buildPage } from '../../studio/build-page.mjs'
import { hasBrowser, launch, openPage } from '../../studio/test/support.js'
import { buildCli } from './build-cli.js'
import { configure, key, startModel } from './wire.js'

/** The id is in the arguments: the same call with the same arguments is not run twice in a row. */
const call = (id: string, name: string) => ({ id, name, arguments: { id } })

type Browser = Awaited<ReturnType<typeof launch>>
type Page = Awaited<ReturnType<typeof openPage>>['page']

const usage = { inputTokens: 10, outputTokens: 5 }

/** One look, then a look and a payment in the same turn, then the end. */
const reply: WireReply = (request, { format }) => {
  const results = format.read(request).messages.filter(({ role }) => role === 'tool').length
  if (results === 0)
    return {
      text: ['First I look.'],
      toolCalls: [call('call_1', 'look')],
      finish: 'tool-calls',
      usage,
    }
  if (results === 1)
    return {
      toolCalls: [call('call_2', 'look'), call('call_3', 'pay')],
      finish: 'tool-calls',
      usage,
    }
  return { text: ['Everything is done.'], finish: 'stop', usage }
}

/**
 * A module with a tool that ends at once and one that never ends; each writes a line to the ledger
 * first.
 */
function writeTools(folder: string): { readonly file: string; readonly ledger: () => string[] } {
  const [file, ledger] = [join(folder, 'tools.mjs'), join(folder, 'ledger')]
  const source = `import { appendFileSync } from 'node:fs'
const write = (line) => appendFileSync(${JSON.stringify(ledger)}, line + '\\n')
export default [
  { name: 'look', description: 'Looks', parameters: { type: 'object' }, execute: () => { write('look'); return 'seen' } },
  { name: 'pay', description: 'Pays', parameters: { type: 'object' }, execute: () => { write('pay'); return new Promise(() => {}) } },
]`
  writeFileSync(file, source)
  return {
    file,
    ledger: () => (existsSync(ledger) ? readFileSync(ledger, 'utf8').trim().split('\n') : []),
  }
}

describe.skipIf(!hasBrowser)('a run that was cut off with the process of the studio', () => {
  let browser: Browser
  let program: string
  beforeAll(async () => {
    program = await buildCli()
    await buildPage(join(dirname(program), 'page'))
    browser = await launch()
  }, 120_000)
  afterAll(() => browser.close())

  async function start(
    home: string,
    tools: string,
  ): Promise<{ readonly child: ChildProcess; readonly page: Page }> {
    const child = spawn(process.execPath, [program, 'studio', '--json', '--tools', tools], {
      env: { PATH: process.env['PATH'] ?? '', HOME: home, MY_KEY: key },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const { page } = await openPage(browser, JSON.parse(String(line)) as { readonly url: string })
    return { child, page }
  }

  async function kill(
    { child, page }: Awaited<ReturnType<typeof start>>,
    signal: NodeJS.Signals,
  ): Promise<void> {
    child.kill(signal)
    await once(child, 'exit')
    await page.close()
  }

  const allow = async (page: Page, tool: string): Promise<void> => {
    await page
      .getByRole('group', { name: `Approve ${tool}?` })
      .getByRole('button', { name: 'Allow' })
      .click()
  }

  /** Runs until the first look is done and the second and the payment are under way. */
  async function untilPaying(
    { page }: Awaited<ReturnType<typeof start>>,
    ledger: () => string[],
  ): Promise<void> {
    await page.getByLabel('Message', { exact: true }).fill('Look twice and pay')
    await page.keyboard.press('Enter')
    await allow(page, 'look')
    await allow(page, 'look')
    await allow(page, 'pay')
    await page.getByRole('region', { name: 'Tool look: done' }).nth(1).waitFor()
    await expect.poll(ledger).toContain('pay')
  }

  test.each(['SIGKILL', 'SIGINT'] as const)(
    'a run that was cut off with the process of the studio ends after %s in the middle of a tool turn, a new start and Continue, with no tool executed twice',
    { timeout: 240_000 },
    async (signal) => {
      const home = temporaryFolder('studio-continue')
      const { file, ledger } = writeTools(home)
      const model = await startModel({ reply })
      onTestFinished(() => model.close())
      configure(home, model.url, 'profile: {supports_tools: true}')
      const first = await start(home, file)
      await untilPaying(first, ledger)
      expect(ledger()).toEqual(['look', 'look', 'pay'])
      await kill(first, signal)

      const second = await start(home, file)
      const { page } = second
      await page.getByRole('link', { name: 'Runs' }).click()
      await page.getByRole('link', { name: 'Look twice and pay' }).click()
      // Nothing continues by itself.
      await page.getByRole('button', { name: 'Continue' }).click()
      const asked = page.getByRole('group', { name: 'What became of pay?' })
      await asked.getByText('so it may have had its effect').waitFor()
      await asked.getByLabel('Its result for the model, if it happened').fill('paid')
      await asked.getByRole('button', { name: 'It happened' }).click()
      await page.locator('.markdown', { hasText: 'Everything is done.' }).waitFor()
      await page.locator('.figures').waitFor()
      expect(ledger()).toEqual(['look', 'look', 'pay'])
      expect(await page.getByRole('button', { name: 'Continue' }).count()).toBe(0)
      expect(model.requests).toHaveLength(3)
      const sent = JSON.stringify(model.requests.at(-1)?.body)
      expect(sent).toContain('paid')
      await kill(second, 'SIGKILL')
    },
  )
})
