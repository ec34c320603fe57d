import { openaiChat } from '@modelport/conformance'
import { startWireServer, type WireReply } from '@modelport/conformance/wire-server'
import { expect, test } from 'vitest'
import { askedVendors, toPage } from './live/page.js'
import { askAll, questions } from './live/questions.js'
import { readText } from './support/repository.js'

const usage = { inputTokens: 5, outputTokens: 5 }
/** Plays a vendor whose model can do everything. */
const reply: WireReply = (request, { format }) => {
  const { messages, tools } = format.read(request)
  const body = JSON.stringify(request.body)
  if (tools.length && messages.at(-1)?.role === 'user')
    return {
      toolCalls: [{ id: 'c1', name: 'add_numbers', arguments: { a: 2, b: 3 } }],
      finish: 'tool-calls',
      usage,
    }
  const text = body.includes('json_schema')
    ? '{"ok": true}'
    : body.includes('image_url')
      ? 'Red'
      : '5, 51, OK'
  const isShort = body.includes('"max_tokens":16,') || body.includes('"max_tokens":16}')
  return { text: text.split(/(?=,)/), finish: isShort ? 'length' : 'stop', usage }
}

test('the live questions pass against a server that can do everything, and say what fails otherwise', async () => {
  const server = await startWireServer({
    formats: [openaiChat],
    reply,
    apiKey: 'sk-live-0123456789',
  })
  try {
    const config = {
      provider: 'openai-compatible',
      model: 'm',
      baseUrl: `${server.url}/v1`,
      apiKey: 'sk-live-0123456789',
      // Dearer than any model that is asked by default.
      profile: { prices: { input: 1, output: 5 } },
    }
    const { answers, cost } = await askAll(config)
    expect(Object.keys(questions)).toHaveLength(12)
    expect(cost).toBeGreaterThan(0)
    expect(cost).toBeLessThan(0.01)
    expect(answers.map(({ question }) => question)).toEqual(Object.keys(questions))
    const failed = answers.filter(({ status }) => status !== 'ok').map(({ question }) => question)
    // This server knows every model.
    expect(failed, JSON.stringify(answers)).toEqual(['unknown model'])
    expect(answers.find(({ question }) => question === 'bad key')).toMatchObject({ detail: 'auth' })
  } finally {
    await server.close()
  }
})

test('a budget of a cent ends the questions of a vendor that is too dear', async () => {
  const server = await startWireServer({ formats: [openaiChat], reply })
  try {
    const { answers, cost } = await askAll({
      provider: 'openai-compatible',
      model: 'm',
      baseUrl: `${server.url}/v1`,
      profile: { prices: { input: 1000, output: 5000 } },
    })
    expect(answers.filter(({ status }) => status === 'ok')).toEqual([])
    expect(answers[0]).toMatchObject({ detail: expect.stringContaining('maxCost') as string })
    expect(cost).toBe(0)
  } finally {
    await server.close()
  }
})

test('what was seen of a vendor becomes its row, and the others stay as they were', () => {
  const answers = [
    { question: 'text', status: 'ok', detail: 'OK', ms: 1 },
    { question: 'image', status: 'skipped', detail: 'no images', ms: 0 },
  ] as const
  const page = toPage('', [
    { vendor: 'groq', model: 'm', date: '2026-12-01', answers, cost: 0.00123 },
  ])
  expect(page).toContain(
    '| groq | 2026-12-01 | m | 1 of 2 | image skipped: no images | 0.00123 USD |',
  )
  expect(page).toContain('| openai | never | | | | |')
  expect(toPage(page, [])).toBe(page)
})

test('evidence/live.md names every vendor that can be asked', () => {
  expect(askedVendors.length).toBeGreaterThan(10)
  expect(toPage(readText('evidence/live.md'), [])).toBe(readText('evidence/live.md'))
})
