import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { toSteps } from '../src/page/find/run-steps.js'
import { RunView } from '../src/page/link/run-view.js'
import type { StudioEvent } from '../src/protocol/protocol.js'
import { readRunFile } from '../src/server/request-bodies.js'
import { hasBrowser, launch, openPage, startStudio } from './support.js'

type Json = Record<string, unknown>

const about = { runId: 'r', step: 1, attempt: 1 }
const usage = {
  inputTokens: 5,
  outputTokens: 2,
  cacheReadTokens: 1,
  cacheCreationTokens: 0,
  reasoningTokens: 0,
}
const action = { type: 'tool_call', tool: 'look', args: { at: 1 } }
const ofTool = { ...about, actionId: 'c', tool: 'look', args: { at: 1 }, latencyMs: 5 }
const ofAgent = { ...about, actionId: 'd', agent: 'helper', args: { at: 2 }, latencyMs: 5 }
const manifest = {
  step: 1,
  totalEstimatedTokens: 9,
  contextWindow: 100,
  blocks: [{ kind: 'system', name: 'a', tokens: 9 }],
}

/** An event of each type that the page draws, with all fields that it reads. */
const events = [
  { type: 'run', event: { ...about, type: 'context-prepared', manifest } },
  { type: 'run', event: { ...about, type: 'model-call-start', provider: 'p', model: 'm' } },
  { type: 'run', event: { ...about, type: 'mode-changed', reason: 'no tools' } },
  {
    type: 'run',
    event: { ...about, type: 'model-retry', message: 'busy', retryInSeconds: 1, nextAttempt: 2 },
  },
  { type: 'run', event: { ...about, type: 'reasoning-delta', text: 'Hm.' } },
  { type: 'run', event: { ...about, type: 'text-delta', text: 'Let me look.' } },
  { type: 'run', event: { ...about, type: 'tool-call-delta', callId: 'c', text: '{' } },
  { type: 'run', event: { ...about, type: 'reply-rejected', message: 'not JSON' } },
  {
    type: 'run',
    event: {
      ...{ ...about, type: 'model-call-end', model: 'm', text: 'Let me look.' },
      metrics: {
        usage: { ...usage, turns: [usage], estimated: false },
        cost: { totalCost: 1, currency: 'EUR' },
      },
      budget: { outputTokens: 2, cost: 1 },
    },
  },
  { type: 'run', event: { ...about, type: 'context-compacted', report: {} } },
  {
    type: 'run',
    event: {
      ...about,
      type: 'budget-decision',
      decision: { limit: 'cost', effect: 'warn', observed: 1, maximum: 2 },
    },
  },
  { type: 'run', event: { ...about, type: 'action-requested', actionId: 'c', action } },
  {
    type: 'wait',
    callId: 'c',
    tool: 'look',
    args: {},
    question: { message: 'Which?', from: 'x', url: 'y', digest: 'z' },
  },
  { type: 'decision', callId: 'c', approved: false, reason: 'no' },
  { type: 'wait', callId: 'e', tool: 'open', args: {}, uncertain: true },
  { type: 'run', event: { ...ofTool, type: 'tool-start' } },
  { type: 'run', event: { ...ofTool, type: 'tool-progress', progress: { done: 1 } } },
  { type: 'run', event: { ...ofTool, type: 'tool-result', result: { a: 1 } } },
  { type: 'run', event: { ...ofTool, type: 'tool-error', message: 'it broke', phase: 'execute' } },
  { type: 'run', event: { ...ofTool, type: 'action-repeated', action } },
  { type: 'run', event: { ...ofAgent, type: 'agent-call-start' } },
  { type: 'run', event: { ...ofAgent, type: 'agent-call-result', result: { a: 1 } } },
  {
    type: 'run',
    event: { ...ofAgent, type: 'agent-call-error', message: 'it broke', phase: 'execute' },
  },
  {
    type: 'run',
    event: { ...about, type: 'model-error', code: 'auth', message: 'refused', recoverable: false },
  },
  { type: 'agent', event: { type: 'text-delta', text: 'From afar.', first: true } },
  { type: 'agent', event: { type: 'progress', percent: 5, message: 'nearly' } },
  { type: 'agent', event: { type: 'artifact', artifact: { id: 'a', kind: 'file', parts: [] } } },
  { type: 'note', text: 'some are missing' },
  { type: 'continued' },
  { type: 'end', run: {} },
].map((event, index) => ({ seq: index + 1, at: 1_700_000_000_000 + index, ...event }))

const messages = [
  { role: 'system', content: 'Be brief.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Look!' },
      { type: 'image', source: { type: 'base64', data: 'aGk=', mediaType: 'image/png' } },
      { type: 'file', name: 'a.txt', source: { type: 'url', url: 'http://x.example/a.txt' } },
      { type: 'audio', source: { type: 'file', id: 'f1' } },
    ],
  },
  {
    role: 'assistant',
    content: '',
    reasoning: 'Hm.',
    toolCalls: [{ id: 'c', name: 'look', arguments: { at: 1 }, argumentsText: '{"at":1}' }],
  },
  { role: 'tool', toolCallId: 'c', content: 'x', isError: false },
]
const file: Json = {
  ...{ modelport: 'run', version: 1, events, cassette: null },
  run: {
    ...{
      id: 'run-1',
      at: 1_700_000_000_000,
      model: 'm',
      title: 'a foreign run',
      status: 'failed',
      messages,
    },
    ...{
      transcript: messages,
      error: { code: 'auth', message: 'refused' },
      usage: { ...usage, turns: [usage] },
    },
    ...{
      cost: 1,
      currency: 'EUR',
      latencyMs: 5,
      firstTokenMs: 1,
      waitedMs: 1,
      budget: { maxOutputTokens: 5, maxCost: 2 },
    },
    ...{ program: 'x.mjs', task: { taskId: 't', sessionId: 's', isWaiting: false } },
    logprobs: [{ token: 'a', logprob: -1, top: [{ token: 'b', logprob: -2 }] }],
    settings: {
      model: 'm',
      without: ['x'],
      tools: ['y'],
      mode: 'native',
      options: { system: 'Be brief.', temperature: 1 },
      budget: { maxCost: 1 },
    },
  },
  exchanges: [
    {
      ...{
        method: 'POST',
        url: 'http://x.example',
        requestHeaders: { a: 'b' },
        requestBody: '{}',
        status: 200,
      },
      ...{ responseHeaders: { a: 'b' }, responseBody: '{}', cut: true, error: 'closed' },
    },
  ],
}

const accepts = async (value: Json): Promise<boolean> => {
  const request = new Request('http://x.example', { method: 'POST', body: JSON.stringify(value) })
  return readRunFile(request).then(
    () => true,
    () => false,
  )
}

/** The places of all values in a value, the outer ones first. */
const placesIn = (value: unknown, place: readonly string[] = []): (readonly string[])[] =>
  typeof value === 'object' && value !== null
    ? [place, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...place, key]))]
    : [place]

const wrongValues: readonly unknown[] = [{ a: 1 }, 'text', 7, null, [{}]]

/** The file with a value at a place replaced. */
function withValue(value: unknown, [key, ...rest]: readonly string[], put: unknown): unknown {
  if (key === undefined) return put
  const copy = structuredClone(value) as Json
  copy[key] = withValue(copy[key], rest, put)
  return copy
}

describe.skipIf(!hasBrowser)('the page of a run from a file', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())

  test('every view shows a run whose events have wrong values wherever the import takes them', {
    timeout: 240_000,
  }, async () => {
    expect(await accepts(file)).toBe(true)
    const files: Json[] = [file]
    for (const put of wrongValues) {
      let changed = file
      // The innermost first: a value that is replaced has no places any more.
      for (const place of placesIn(file).reverse()) {
        const next = withValue(changed, place, put) as Json
        if (place.length > 0 && (await accepts(next))) changed = next
      }
      expect(changed).not.toEqual(file)
      files.push(changed)
    }
    const served = await startStudio()
    onTestFinished(() => served.close())
    const { page, errors } = await openPage(browser, served)
    onTestFinished(() => page.context().close())
    const session = await page.evaluate(() => localStorage.getItem('modelport-session') ?? '')
    const { origin } = new URL(served.url)
    for (const one of files) {
      const response = await fetch(`${origin}/api/runs/import`, {
        ...{
          method: 'POST',
          body: JSON.stringify(one),
          headers: { 'x-modelport-session': session },
        },
      })
      const { id } = (await response.json()) as { readonly id: string }
      expect(id).toMatch(/^run-/)
      // The page reads on after an event that it cannot fold, so nothing of it is in the list of
      // errors.
      const taken = one['events'] as readonly StudioEvent[]
      new RunView(0).add(taken.slice(0, -1))
      expect(toSteps(taken).length).toBeGreaterThan(0)
      for (const view of ['chat', 'timeline', 'raw', 'context', 'compare']) {
        await page.goto(`${origin}/#/${view}/${id}`)
        await page.reload()
        await page.locator('h1').first().waitFor({ state: 'attached' })
        await page.waitForLoadState('networkidle')
        await expect.poll(() => page.getByText('Reading the run…').count()).toBe(0)
        // An object where text belongs is drawn as nothing, and throws only if it is drawn again.
        expect(await page.locator('main code:empty').count(), view).toBe(0)
        if (view === 'context')
          expect(await page.getByRole('heading', { level: 2 }).innerText()).toMatch(/^Call \d/)
        // A picture without its data is not loaded; the rest is shown.
        expect(
          errors.filter((error) => !error.includes('ERR_INVALID_URL')),
          view,
        ).toEqual([])
      }
    }
  })
})
