import type { WireReply } from '@modelport/conformance/wire-server'
import { expect, test } from 'vitest'
import { useModel } from './set-up.js'
import { command, type Outcome } from './test-io.js'
import { configure, key, writeTools } from './wire.js'

const usage = { inputTokens: 12, outputTokens: 5 }
const action = (value: object): ReturnType<WireReply> => {
  const text = JSON.stringify(value)
  return { text: [text.slice(0, 30), text.slice(30)], finish: 'stop', usage }
}

/** A server that refuses tools, whose model writes one call and then its reply. */
const reply: WireReply = (request, { format }) => {
  const { messages, tools } = format.read(request)
  if (tools.length) {
    const body = JSON.stringify({
      error: { message: '"my-model" does not support tools', type: 'api_error' },
    })
    return { status: 400, headers: { 'content-type': 'application/json' }, pieces: [body] }
  }
  if (messages.at(-1)?.text.includes('28'))
    return action({ type: 'final', content: 'It is 28 degrees in Rome.' })
  return action({ type: 'tool_call', tool: 'get_weather', args: { city: 'Rome' } })
}

const { home, server } = useModel({ reply, fields: 'profile: {supports_streaming: true}' })
const run = (args: readonly string[], stdin = ''): Promise<Outcome> =>
  command([...args, '--tools', writeTools(home.path), '--allow-tools'], {
    home: home.path,
    stdin,
    environment: { MY_KEY: key },
  })
const note = 'the server refused tools, so the model is asked to write its calls as JSON\n'
const result = '✓ get_weather {"city":"Rome","degrees":28}\n'
const answer = 'It is 28 degrees in Rome.\n'

test('complete uses tools with a server that refuses them, and says so in one line', async () => {
  expect(await run(['complete', 'Is it warm?'])).toEqual({
    code: 0,
    out: answer,
    err: `${note}${result}`,
  })
  expect(server.requests).toHaveLength(3)
})

test('a profile that says so saves the refused request', async () => {
  configure(home.path, server.url, 'profile: {supports_tools: false}')
  expect(await run(['complete', 'Is it warm?'])).toEqual({ code: 0, out: answer, err: result })
  expect(server.requests).toHaveLength(2)
})

test('a chat asks for tools once, and its later messages know the refusal', async () => {
  const { code, out, err } = await run(['chat', '--no-save'], 'Is it warm?\nAnd now?\n')
  expect({ code, out }).toEqual({ code: 0, out: answer + answer })
  expect(err.split(note)).toHaveLength(2)
  expect(server.requests).toHaveLength(5)
})

test('with --json a call that was written as JSON is an event like any other', async () => {
  const { out } = await run(['chat', '--no-save', '--json'], 'Is it warm?\n')
  const events = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(events.map(({ type }) => type)).toEqual([
    'session',
    'mode-changed',
    'turn-end',
    'tool-call-complete',
    'tool-result',
    'text-delta',
    'text-delta',
    'turn-end',
    'done',
  ])
  const call = events.find(({ type }) => type === 'tool-call-complete')?.['toolCall'] as {
    readonly id: string
  }
  expect(call).toMatchObject({ name: 'get_weather', arguments: { city: 'Rome' } })
  expect(events.find(({ type }) => type === 'tool-result')?.['callId']).toBe(call.id)
})
