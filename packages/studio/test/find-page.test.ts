import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMock } from '@modelport/provider-mock'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { atSize } from '../../../test/support/faults.js'
import { openFileStore } from '../src/node.js'
import type { RunRecord, StudioEvent } from '../src/protocol/protocol.js'
import { demoTools } from '../src/server/demo.js'
import { Runs } from '../src/server/runs.js'
import { createMemoryStore } from '../src/store/file-store.js'
import { fillStudioFile } from './many-runs.js'
import { attacks, hasBrowser, launch, openPage, startStudio, violations } from './support.js'

const run = (id: string, at: number, more: Partial<RunRecord> = {}): RunRecord => ({
  ...{ id, at, model: 'demo', title: `title of ${id}`, status: 'final' },
  messages: [{ role: 'user', content: id }],
  ...more,
})
const call = {
  id: 'c',
  name: 'get_weather',
  arguments: { city: 'Oslo' },
  argumentsText: '{"city":"Oslo"}',
}

/** A run whose tool result is this text. */
const withResult = (id: string, at: number, result: string): RunRecord =>
  run(id, at, {
    transcript: [
      { role: 'user', content: id },
      { role: 'assistant', content: '', toolCalls: [call] },
      { role: 'tool', toolCallId: 'c', content: result },
    ],
  })

describe.skipIf(!hasBrowser)('the list of runs in Chromium', () => {
  let browser: Browser
  let folder = ''
  beforeAll(async () => {
    browser = await launch()
    folder = await mkdtemp(join(tmpdir(), 'modelport-find-page-'))
  })
  afterAll(async () => {
    await browser.close()
    await rm(folder, { recursive: true, maxRetries: 5 })
  })

  test('a search finds a run by what a tool returned, and the address keeps it over a reload and the back button', async () => {
    const store = createMemoryStore()
    for (let index = 0; index < 5; index++) await store.save(run(`other-${index}`, index + 1))
    await store.save(withResult('wanted', 10, 'a thundercloud over the fjord'))
    const studio = await startStudio({ store })
    const { page, errors } = await openPage(browser, studio, { bypassCSP: true })
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByText('6 runs').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('fjord thunderc')
    await page.locator('.found mark').first().waitFor()
    expect(await page.locator('tbody th a').allInnerTexts()).toEqual(['title of wanted'])
    expect(await page.locator('.found').innerText()).toContain('a thundercloud over the fjord')
    await page.getByText('1 run,').waitFor()
    await page.reload()
    await page.locator('.found mark').first().waitFor()
    expect(await page.getByLabel('Search').inputValue()).toBe('fjord thunderc')
    expect(await violations(page)).toEqual([])
    await page.goBack()
    await page.getByText('6 runs').waitFor()
    expect(await page.getByLabel('Search').inputValue()).toBe('')
    await page.getByLabel('Tool').selectOption('get_weather')
    await page.getByText('1 run,').waitFor()
    await page.getByLabel('Search').fill('nowhere')
    await page.getByText('No run matches.').waitFor()
    await page.getByRole('link', { name: 'show all runs' }).click()
    await page.getByText('6 runs').waitFor()
    expect(errors).toEqual([])
    await page.context().close()
    await studio.close()
  })

  test('text that was found does nothing that it says', async () => {
    const store = createMemoryStore()
    for (const [index, attack] of attacks.entries())
      await store.save(withResult(attack.slice(0, 100), index + 1, `needle ${attack} needle`))
    const studio = await startStudio({ store })
    const { page, errors } = await openPage(browser, studio)
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByLabel('Search').fill('needle')
    await page
      .locator('.found')
      .nth(attacks.length - 1)
      .waitFor()
    expect(await page.locator('.found').count()).toBe(attacks.length)
    expect(await page.evaluate(() => (globalThis as { hacked?: unknown }).hacked)).toBeUndefined()
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
    ).toBeLessThanOrEqual(0)
    const shown = (await page.locator('.found').allInnerTexts()).join()
    for (const hidden of ['\u001b', '\u202e', '\0']) expect(shown).not.toContain(hidden)
    expect(requests.filter((url) => !url.startsWith(new URL(studio.url).origin))).toEqual([])
    expect(errors).toEqual([])
    await page.context().close()
    await studio.close()
  })

  test('a file with many runs opens at the newest, gives more by a button, and is walked and searched by keyboard', async () => {
    const path = join(folder, 'many.db')
    const size = atSize(10_000, 100_000)
    const failed = size / 100
    const shown = (count: number): string => count.toLocaleString('en-US')
    await fillStudioFile(path, size)
    const studio = await startStudio({ store: openFileStore(path), file: path })
    const { page, errors } = await openPage(browser, studio)
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByText(`${shown(size)} runs, ${shown(size * 120)} tokens`).waitFor()
    const rows = page.locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(100)
    expect(await rows.first().locator('th a').innerText()).toBe(`question ${size - 1}`)
    await rows.first().getByRole('button', { name: '2 runs' }).click()
    await page.locator('th.depth-1', { hasText: `question ${size - 1}` }).waitFor()
    await page.getByRole('button', { name: 'Show more' }).click()
    await expect.poll(() => rows.count()).toBe(201)
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    for (const key of ['j', 'j', 'k']) await page.keyboard.press(key)
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(
      `question ${size - 2}`,
    )
    await page.keyboard.press('/')
    await page.keyboard.type(`needle${size / 10 - 1}`)
    await page.getByText('11 runs,').waitFor()
    await page.keyboard.type('7')
    await page.getByText('1 run,').waitFor()
    expect(await page.locator('tbody th a').allInnerTexts()).toEqual([`question ${size - 3}`])
    await page.getByRole('link', { name: 'Clear' }).click()
    await page.getByLabel('Error').selectOption('auth')
    await page
      .getByText(
        `${shown(failed)} runs, ${shown(failed * 120)} tokens, $${(failed * 0.009).toFixed(failed < 1000 ? 4 : 2)}, ${shown(failed)} errors`,
      )
      .waitFor()
    expect(errors).toEqual([])
    await page.context().close()
    await studio.close()
  }, 240_000)

  test('a click on the title of a column sorts the runs by it, a reload keeps it, and the next click brings back the newest', async () => {
    const store = createMemoryStore()
    await store.save(run('cheap', 1, { cost: 0.01, latencyMs: 9000 }))
    await store.save(run('dear', 2, { cost: 0.5, latencyMs: 100 }))
    await store.save(run('wrapper', 3, { model: 'durable invoice' }))
    await store.save(run('inside', 4, { parent: 'wrapper', cost: 0.7, latencyMs: 200 }))
    const studio = await startStudio({ store })
    const { page, errors } = await openPage(browser, studio, { bypassCSP: true })
    await page.getByRole('link', { name: 'Runs' }).click()
    const titles = () => page.locator('tbody th a').allInnerTexts()
    await expect.poll(titles).toHaveLength(3)
    await page.getByRole('button', { name: 'Cost' }).click()
    const byCost = ['title of wrapper', 'title of dear', 'title of cheap']
    await expect.poll(titles).toEqual(byCost)
    expect(await page.locator('[aria-sort=descending]').innerText()).toBe('Cost ↓')
    expect(await violations(page)).toEqual([])
    await page.reload()
    await expect.poll(titles).toEqual(byCost)
    await page.getByRole('button', { name: 'Took' }).click()
    await expect.poll(titles).toEqual(['title of cheap', 'title of dear', 'title of wrapper'])
    await page.getByRole('button', { name: 'Took' }).click()
    await expect.poll(titles).toEqual(['title of wrapper', 'title of dear', 'title of cheap'])
    expect(errors).toEqual([])
    await page.context().close()
    await studio.close()
  })

  test('runs that begin meanwhile move no row: a button shows them, and rows change in place', async () => {
    const store = createMemoryStore()
    await store.save(run('first', 1, { status: 'running' }))
    const studio = await startStudio({
      store,
      models: [
        {
          id: 'm',
          provider: 'mock',
          model: 'm',
          hosts: [],
          open: () => createMock({ defaultResponse: 'Hi' }),
        },
      ],
    })
    const { page, errors } = await openPage(browser, studio)
    await page.getByRole('link', { name: 'Runs' }).click()
    const row = page.locator('tbody tr', { hasText: 'title of first' })
    const before = await row.boundingBox()
    await store.save(run('second', 2))
    await store.save(run('first', 1))
    await page.getByRole('button', { name: 'Show 1 new run' }).waitFor()
    await row.getByText('finished').waitFor()
    expect(await row.boundingBox()).toEqual(before)
    await page.getByRole('button', { name: 'Show 1 new run' }).click()
    await expect
      .poll(() => page.locator('tbody th a').allInnerTexts())
      .toEqual(['title of second', 'title of first'])
    expect(errors).toEqual([])
    await page.context().close()
    await studio.close()
  })

  test('two chosen runs are compared step by step: what differs is marked, and the better of two numbers', async () => {
    const path = join(folder, 'compared.db')
    const mock = (id: string, city: string, reply: string) => ({
      ...{
        id,
        provider: 'mock',
        model: id,
        hosts: [],
        profile: { prices: { input: 1, output: 1 } },
      },
      open: () =>
        createMock({
          responses: [
            {
              toolCalls: [{ name: 'get_weather', arguments: { city } }],
              usage: { inputTokens: 100, outputTokens: 10 },
            },
            { text: reply, usage: { inputTokens: reply.length * 10, outputTokens: 5 } },
          ],
        }),
    })
    const models = [
      mock('one', 'Oslo', 'It is cold in Oslo'),
      mock('two', 'Rome', 'It is cold in Rome today'),
    ]
    const store = openFileStore(path)
    const runs = new Runs({ models, assets: {}, store, tools: demoTools })
    for (const model of models) {
      const messages = [{ role: 'user' as const, content: 'How is the weather?' }]
      const { id } = await runs.start({ model: model.id, messages, approvals: 'allow' }, model)
      await expect.poll(() => runs.live(id)).toBeUndefined()
    }
    await runs.close()
    const studio = await startStudio({ store: openFileStore(path) })
    const { page, errors } = await openPage(browser, studio, { bypassCSP: true })
    await page.getByRole('link', { name: 'Runs' }).click()
    await expect.poll(() => page.getByRole('checkbox').count()).toBe(2)
    for (const box of await page.getByRole('checkbox').all()) await box.check()
    await page.getByRole('link', { name: 'Compare the two chosen runs' }).click()
    await page.getByRole('heading', { name: 'Two runs, step by step' }).waitFor()
    await page.getByText('Step 2').waitFor()
    const row = (name: RegExp) => page.getByRole('row', { name })
    expect(await row(/^Prompt/).innerText()).toContain('same')
    expect(
      (
        await row(/^Call 1/)
          .locator('mark')
          .allInnerTexts()
      ).join(),
    ).toMatch(/Rome.*Oslo/s)
    expect(await row(/^Result 1/).innerText()).toContain('differs')
    expect(
      (
        await row(/^Reply/)
          .locator('mark')
          .allInnerTexts()
      ).map((text) => text.trim()),
    ).toEqual(['Rome today', 'Oslo'])
    const tokens = await row(/^Tokens in/)
      .first()
      .getByRole('cell')
      .allInnerTexts()
    expect(tokens.filter((text) => text.includes('better'))).toEqual([
      expect.stringContaining('280'),
    ])
    expect(
      await row(/^Tokens out/)
        .first()
        .innerText(),
    ).not.toContain('better')
    expect(await violations(page)).toEqual([])
    expect(errors).toEqual([])
    await page.context().close()
    await studio.close()
  })

  test('the overview adds up runs by day, hour and model, and each bar leads to its runs', async () => {
    const store = createMemoryStore()
    const usage = {
      ...{
        inputTokens: 100,
        outputTokens: 20,
        cacheReadTokens: 25,
        cacheCreationTokens: 0,
        reasoningTokens: 0,
      },
      ...{ toolDefinitionTokens: 0, turns: [], reported: true },
    }
    const hours = 3_600_000
    await store.save(run('old', Date.now() - 40 * 24 * hours, { cost: 7 }))
    await store.save(
      run('yesterday', Date.now() - 25 * hours, { cost: 2, usage, latencyMs: 900, model: 'big' }),
    )
    await store.save(run('now', Date.now() - 1000, { cost: 1, usage, latencyMs: 300 }))
    const error = { code: 'auth', message: 'no' }
    await store.save(
      run('bad', Date.now() - 1000, {
        status: 'failed',
        error,
        cost: 3,
        currency: 'EUR',
        latencyMs: 100,
      }),
    )
    const studio = await startStudio({ store })
    const { page, errors } = await openPage(browser, studio, { bypassCSP: true })
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.locator('.overview tbody tr').first().waitFor()
    const chart = (name: string) => page.getByRole('group', { name, exact: true })
    const sum = async (title: string): Promise<string[]> =>
      (await chart(title).locator('a title').allTextContents())
        .map((text) => text.split(': ')[1] ?? '')
        .filter((text) => !['0', '–'].includes(text))
    expect(await sum('Cost, USD')).toEqual(['$2.00', '$1.00'])
    expect(await sum('Cost, EUR')).toEqual(['3.00 EUR'])
    expect(await sum('Tokens')).toEqual(['120', '120'])
    expect(await sum('Time, p50')).toEqual(['900 ms', '100 ms'])
    expect(await sum('Time, p95')).toEqual(['900 ms', '300 ms'])
    expect(await sum('Prompt from cache')).toEqual(['25 %', '25 %'])
    const day = new Date().toLocaleString('en', { month: 'short', day: 'numeric' })
    expect((await page.locator('.ends').first().locator('span').allInnerTexts()).at(-1)).toBe(day)
    expect(await violations(page)).toEqual([])
    await chart('Errors').getByRole('link', { name: ': 1' }).last().click()
    await expect
      .poll(() => page.locator('.runs tbody th a').allInnerTexts())
      .toEqual(['title of bad'])
    await page.goBack()
    await page.getByRole('button', { name: 'By model' }).click()
    expect(await page.locator('.ends').first().locator('[title=big]').innerText()).toBe('big')
    const topOf = async (selector: string) => (await page.locator(selector).boundingBox())?.y ?? 0
    expect(await topOf('.overview table')).toBeLessThan(await topOf('.charts'))
    await chart('Tokens').getByRole('link', { name: 'big' }).click()
    await expect
      .poll(() => page.locator('.runs tbody th a').allInnerTexts())
      .toEqual(['title of yesterday'])
    expect(errors).toEqual([])
    await page.context().close()
    await studio.close()
  })

  test('a run that was saved as JSON on one page is opened on another, and a file that does not fit says what is wrong', async () => {
    const studio = await startStudio()
    const { page, errors } = await openPage(browser, studio)
    await page.getByLabel('Message', { exact: true }).fill('How is the weather in Oslo?')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.locator('.figures').waitFor()
    await page.getByRole('link', { name: 'Raw' }).click()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as JSON' }).click(),
    ])
    const [markdown] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as Markdown' }).click(),
    ])
    expect(await readFile(await markdown.path(), 'utf8')).toContain('**Call of get_weather**')
    const file = await readFile(await saved.path(), 'utf8')
    const other = await startStudio()
    const { page: there } = await openPage(browser, other)
    await there.getByRole('link', { name: 'Runs' }).click()
    const choose = (content: string) =>
      there.locator('input[type=file]').setInputFiles({
        name: 'run.json',
        mimeType: 'application/json',
        buffer: Buffer.from(content),
      })
    await choose(file.replace('"status": "final"', '"status": "running"'))
    await there.getByText('run.status').waitFor()
    await choose(file)
    await there.locator('.markdown', { hasText: 'That is the whole loop:' }).waitFor()
    expect(await there.locator('.conversation').innerText()).toContain('"celsius":4')
    expect(errors).toEqual([])
    for (const one of [page, there]) await one.context().close()
    for (const one of [studio, other]) await one.close()
  })

  test('the overview of one day of runs shows its hours, until another grouping is chosen', async () => {
    const store = createMemoryStore()
    await store.save(run('now', Date.now(), { program: 'shop', cost: 1 }))
    const studio = await startStudio({ store })
    const { page, errors } = await openPage(browser, studio)
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('button', { name: 'By hour', pressed: true }).waitFor()
    await page.getByRole('button', { name: 'By day' }).click()
    await page.getByRole('button', { name: 'By day', pressed: true }).waitFor()
    await page.getByRole('button', { name: 'By program' }).click()
    await page.locator('.overview tbody').getByRole('link', { name: 'shop' }).click()
    await expect
      .poll(() => page.locator('.runs tbody th a').allInnerTexts())
      .toEqual(['title of now'])
    expect(page.url()).toContain('program=shop')
    expect(errors).toEqual([])
    await page.context().close()
    await studio.close()
  })

  test('a day of the overview begins at midnight in the time zone of the page', async () => {
    const store = createMemoryStore()
    const midnight = new Date(Date.now() + 9 * 3_600_000).setUTCHours(0, 0, 0, 0) - 9 * 3_600_000
    await store.save(run('before', midnight - 1))
    await store.save(run('after', midnight))
    const studio = await startStudio({ store })
    const { page } = await openPage(browser, studio, { timezoneId: 'Asia/Tokyo' })
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.locator('.overview tbody tr').nth(1).waitFor()
    await page.locator('.overview tbody th a').last().click()
    await expect
      .poll(() => page.locator('.runs tbody th a').allInnerTexts())
      .toEqual(['title of after'])
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toMatch(/T00:00$/)
    await page.context().close()
    await studio.close()
  })

  test('costs in two currencies are not compared', async () => {
    const store = createMemoryStore()
    await store.save(run('euro', 1, { cost: 1, currency: 'EUR', latencyMs: 5 }))
    await store.save(run('dollar', 2, { cost: 2, latencyMs: 9 }))
    const studio = await startStudio({ store })
    const { page } = await openPage(browser, studio)
    await page.evaluate(() => (location.hash = '/compare/euro/dollar'))
    const row = (name: RegExp) => page.getByRole('row', { name }).first()
    await row(/^Cost/).waitFor()
    expect(await row(/^Cost/).innerText()).not.toContain('better')
    expect(await row(/^Took/).innerText()).toContain('better')
    await page.context().close()
    await studio.close()
  })

  test('the back button leads to the list as it was left: place, focus, unfolded sessions and chosen runs', async () => {
    const path = join(folder, 'place.db')
    await fillStudioFile(path, 400)
    const store = openFileStore(path)
    const studio = await startStudio({ store })
    const { page, errors } = await openPage(browser, studio)
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByRole('button', { name: 'Show more' }).click()
    const rows = page.locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(200)
    await page.getByRole('button', { name: '2 runs' }).nth(30).click()
    await expect.poll(() => rows.count()).toBe(201)
    await page.getByRole('checkbox').nth(150).check()
    const link = rows.nth(150).locator('a')
    const title = await link.innerText()
    for (const open of [
      () => link.click(),
      () => page.keyboard.press('Enter'),
      () => page.goForward(),
    ]) {
      const top = await page.evaluate(() => scrollY)
      await open()
      await page.locator('.composer').first().waitFor()
      await page.goBack()
      await expect.poll(() => rows.count()).toBe(201)
      expect(await page.evaluate(() => scrollY)).toBeCloseTo(top, -1)
      expect(top).toBeGreaterThan(2000)
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(title)
      expect(await rows.nth(150).getByRole('checkbox').isChecked()).toBe(true)
    }
    await page.keyboard.press('j')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(
      await rows.nth(151).locator('a').innerText(),
    )
    // The list of a new entry begins at its top.
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('link', { name: 'Runs' }).click()
    await expect.poll(() => rows.count()).toBe(100)
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0)
    expect(errors).toEqual([])
    await page.context().close()
    await studio.close()
  })

  test('a run that failed, and one whose tool failed, is never the better one', async () => {
    const store = createMemoryStore()
    const ask = (content: string) => [{ role: 'user' as const, content }]
    await store.save(
      run('failed', 1, { status: 'failed', latencyMs: 5, messages: ask('how long does it take') }),
    )
    await store.save(run('slow', 2, { latencyMs: 9, messages: ask('tell me about rivers') }))
    await store.save(run('broken', 3, { latencyMs: 5, messages: ask('how long does it take') }))
    const base = {
      runId: 'broken',
      step: 1,
      attempt: 1,
      depth: 0,
      actionId: 'a',
      tool: 't',
      args: {},
    }
    const event = { ...base, type: 'tool-error', code: 'tool-failed', message: 'no' }
    await store.append('broken', [{ type: 'run', at: 3, seq: 1, event } as unknown as StudioEvent])
    const studio = await startStudio({ store })
    const { page } = await openPage(browser, studio)
    for (const other of ['failed', 'broken']) {
      await page.evaluate((hash) => (location.hash = hash), `/compare/slow/${other}`)
      await page.getByRole('columnheader', { name: other }).waitFor()
      expect(await page.getByRole('row', { name: /^Took/ }).first().innerText()).not.toContain(
        'better',
      )
      // Both prompts are unlike the other: this is said once.
      expect(await page.getByText('none is marked').filter({ visible: true }).count()).toBe(1)
    }
    await page.context().close()
    await studio.close()
  })

  test('slow runs are found by how long they took, in seconds', async () => {
    const store = createMemoryStore()
    for (const latencyMs of [900, 1100, 4000])
      await store.save(run(`took ${latencyMs}`, latencyMs, { latencyMs }))
    const studio = await startStudio({ store })
    const { page } = await openPage(browser, studio)
    await page.getByRole('link', { name: 'Runs' }).click()
    const field = page.getByLabel('Took from, seconds')
    await field.fill('1.1')
    await field.press('Tab')
    await expect
      .poll(() => page.locator('tbody th a').allInnerTexts())
      .toEqual(['title of took 4000', 'title of took 1100'])
    expect(page.url()).toContain('minMs=1100')
    await page.reload()
    await expect.poll(() => field.inputValue()).toBe('1.1')
    await page.context().close()
    await studio.close()
  })

  test.each(['light', 'dark'] as const)(
    'states have their own colours, long titles two lines, and a narrow page shows state, time, cost and model (%s)',
    async (colorScheme) => {
      const store = createMemoryStore()
      const states = ['failed', 'waiting', 'running', 'budget', 'final'] as const
      const more = { latencyMs: 5000, cost: 1, program: 'app.mjs' }
      for (const [at, status] of states.entries())
        await store.save(run(status, at + 1, { ...more, status, title: `${status} `.repeat(80) }))
      const studio = await startStudio({ store })
      const { page, errors } = await openPage(browser, studio, { bypassCSP: true, colorScheme })
      await page.getByRole('link', { name: 'Runs' }).click()
      const cells = page.locator('.state')
      await expect.poll(() => cells.count()).toBe(states.length)
      const looks = await cells.evaluateAll((all) =>
        all.map(
          (cell) => `${getComputedStyle(cell).color} on ${getComputedStyle(cell).backgroundColor}`,
        ),
      )
      expect(new Set(looks).size).toBe(states.length)
      const link = page.locator('tbody th a').first()
      const lines = await link.evaluate(
        (one) => one.clientHeight / parseFloat(getComputedStyle(one).lineHeight),
      )
      expect(Math.round(lines)).toBe(2)
      expect(await page.locator('tbody th').first().getAttribute('title')).toContain('final final')
      const tops = await page
        .locator('.filters label > span:visible')
        .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)))
      expect(new Set(tops).size).toBeLessThanOrEqual(2)
      const [hint, muted] = await page.evaluate(() => [
        getComputedStyle(document.querySelector('input[type=search]')!, '::placeholder').color,
        getComputedStyle(document.querySelector('.muted')!).color,
      ])
      expect(hint).toBe(muted)
      expect(await violations(page)).toEqual([])
      await page.setViewportSize({ width: 390, height: 844 })
      const seen = async (selector: string): Promise<boolean> => {
        const box = await page.locator(selector).first().boundingBox()
        return box !== null && box.x >= 0 && box.x + box.width <= 390 && box.y + box.height <= 844
      }
      for (const part of [
        'th a',
        '.state',
        'td:nth-child(3)',
        'td:nth-child(5)',
        'td:nth-child(8)',
      ])
        expect(await seen(`.runs tbody ${part}`), part).toBe(true)
      expect(await page.getByLabel('State').isVisible()).toBe(false)
      await page.getByLabel('More filters').check()
      expect((await page.getByLabel('State').boundingBox())?.height).toBeGreaterThanOrEqual(44)
      expect(await violations(page)).toEqual([])
      const { nodes } = await (await page.context().newCDPSession(page)).send(
        'Accessibility.getFullAXTree',
      )
      const roles = nodes.map(({ role }) => String(role?.value))
      for (const role of ['table', 'row', 'rowheader', 'cell']) expect(roles).toContain(role)
      expect(errors).toEqual([])
      await page.context().close()
      await studio.close()
    },
  )

  test('two compared runs stand below each other on a narrow page', async () => {
    const store = createMemoryStore()
    for (const id of ['one', 'two']) await store.save(run(id, 1, { latencyMs: 5 }))
    const studio = await startStudio({ store })
    const { page } = await openPage(browser, studio, {
      viewport: { width: 390, height: 844 },
      bypassCSP: true,
    })
    await page.evaluate(() => (location.hash = '/compare/one/two'))
    const cells = page.locator('.compare-runs tbody tr').first().locator('td')
    await cells.nth(1).waitFor()
    const [one, two] = [await cells.nth(0).boundingBox(), await cells.nth(1).boundingBox()]
    expect(two?.x).toBe(one?.x)
    expect(two?.y).toBeGreaterThan(one?.y ?? 0)
    expect(await violations(page)).toEqual([])
    await page.context().close()
    await studio.close()
  })
})
