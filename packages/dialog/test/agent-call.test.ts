import { inspect } from 'node:util'
import { LlmError } from '@modelport/core'
import type { MockResponse } from '@modelport/provider-mock'
import { BudgetLedger, defineTool, type PendingItem, type RunJournal } from '@modelport/runtime'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { CallReport } from '../src/call/reports.js'
import {
  type CallSuspension,
  choice,
  custom,
  Dialog,
  definePrompt,
  json,
  ParseError,
  PromptRegistry,
  tags,
  text,
  toolCallsOf,
} from '../src/index.js'
import { defaultHandlers } from '../src/prompt/handlers.js'
import { asks, callerOf, failureOf, recordingTool, sentTo } from './call-tools.js'

const plain = definePrompt({ path: 'plain', text: 'Do {what}.' })
const answer = definePrompt({ path: 'answer', text: 'Is {what}?', parse: choice(['yes', 'no']) })
const repeatText =
  'has been called earlier, please check the previous results and do not call it again.'

describe('a call without tools', () => {
  test('a call without tools ends with the text, and the tail of the dialog is the reply', async () => {
    const { caller } = callerOf(['All done!'])
    const { value, dialog, trace, usage } = await caller.call(
      Dialog.seed('Be brief.').send(plain, { what: 'it' }),
    )
    expect(value).toBe('All done!')
    expect(toolCallsOf(trace)).toEqual([])
    expect(dialog.tail).toMatchObject({ role: 'assistant', content: 'All done!' })
    expect(dialog.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant'])
    expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 5 })
    expect(trace).toMatchObject({
      agent: 'tester',
      state: 'success',
      prompts: [{ path: 'plain', hash: plain.hash }],
    })
    expect(trace.entries.map((entry) => (entry.type === 'state' ? entry.to : entry.type))).toEqual([
      'calling',
      'model-call',
      'success',
    ])
  })

  test('a call without tools sends the instructions of the dialog as the system option', async () => {
    const system = definePrompt({ path: 'system', text: 'Today is {day}.' })
    const { caller, provider } = callerOf(['ok'], { system })
    await caller.call(caller.open({ day: 'Monday' }).send('Hi'))
    expect(provider.requests[0]?.options.system).toBe('Today is Monday.')
    expect(sentTo(provider)).toEqual(['system: Today is Monday.', 'user: Hi'])
    expect(() => caller.open({})).toThrow('prompt "system": the placeholder {day} has no value')
  })

  test('a call without tools gives the options of the agent, the prompt and the call, later over earlier', async () => {
    const prompt = plain.extend({ path: 'p', options: { temperature: 0.2, seed: 1 } })
    const { caller, provider } = callerOf(['ok'], {
      options: { temperature: 0.9, maxTokens: 7, topP: 0.5 },
    })
    await caller.call(Dialog.seed().send(prompt, { what: 'it' }), { options: { seed: 2 } })
    expect(provider.requests[0]?.options).toMatchObject({
      temperature: 0.2,
      maxTokens: 7,
      topP: 0.5,
      seed: 2,
    })
  })

  test('a call without tools refuses a dialog without a turn, and one whose last message is the model’s', async () => {
    const { caller } = callerOf(['ok'])
    expect(await failureOf(caller.call(Dialog.seed('x')))).toMatchObject({
      code: 'invalid-request',
      state: 'initial',
    })
    const { dialog } = await caller.call(Dialog.seed().send('x'))
    expect((await failureOf(caller.call(dialog))).message).toContain(
      "the dialog's last message is the model's",
    )
  })
})

describe('a call with tools', () => {
  const echo = () => recordingTool('echo', ({ value }) => `echo:${String(value)}`)

  test('a call with tools runs the tool and continues with its result', async () => {
    const { tool, calls } = echo()
    const { caller } = callerOf([asks('echo', { value: 'foo' }), 'Tool results processed.'])
    const { value, trace, dialog } = await caller.call(
      Dialog.seed().send(plain.extend({ path: 'p', tools: [tool] }), { what: 'it' }),
    )
    expect([value, calls]).toEqual(['Tool results processed.', [{ value: 'foo' }]])
    expect(toolCallsOf(trace)).toMatchObject([
      {
        name: 'echo',
        arguments: { value: 'foo' },
        result: 'echo:foo',
        success: true,
        isRepeated: false,
      },
    ])
    expect(toolCallsOf(trace)[0]?.resultText).toBe(
      'Return of calling function echo with arguments {"value":"foo"}:\n---\necho:foo\n---\n',
    )
    expect(dialog.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ])
    expect(trace.entries.flatMap((entry) => (entry.type === 'state' ? [entry.to] : []))).toEqual([
      'calling',
      'interrupt',
      'calling',
      'success',
    ])
  })

  test('a call with tools shows results in a user message for the API "response", and if the prompt says so', async () => {
    const { tool } = echo()
    const prompt = plain.extend({ path: 'p', tools: [tool] })
    const shown =
      'Return of calling function echo with arguments {"value":"foo"}:\n---\necho:foo\n---\n'
    for (const [settings, opener, expected] of [
      [{ apiType: 'response' }, prompt, shown],
      [
        {},
        prompt.extend({ path: 'p', onToolResults: 'For {what}:\n{call_results}' }),
        `For it:\n${shown}`,
      ],
      [{ apiType: 'response' }, prompt.extend({ path: 'p', onToolResults: false }), undefined],
    ] as const) {
      const { caller } = callerOf([asks('echo', { value: 'foo' }), 'Done.'], settings)
      const { dialog } = await caller.call(Dialog.seed().send(opener, { what: 'it' }))
      expect(dialog.messages.slice(3, -1)).toEqual(
        expected === undefined ? [] : [{ role: 'user', content: expected, byRun: true }],
      )
    }
  })

  test('a call with tools lists the calls of a round in the order in which the model made them, whichever ended first', async () => {
    const tool = defineTool({
      name: 'wait',
      description: 'Waits',
      parameters: { turns: { type: 'integer', required: true } },
      execute: async ({ turns }) => {
        for (let turn = 0; turn < turns; turn++) await Promise.resolve()
        return turns
      },
    })
    const two: MockResponse = {
      toolCalls: [200, 1].map((turns) => ({ name: 'wait', arguments: { turns } })),
    }
    const { caller } = callerOf([two, 'Done.'])
    const { trace } = await caller.call(
      Dialog.seed().send(plain.extend({ path: 'p', tools: [tool] }), { what: 'it' }),
    )
    expect(toolCallsOf(trace).map((call) => call.arguments)).toEqual([{ turns: 200 }, { turns: 1 }])
  })

  test('a call with tools has the reply as its tail where actions are asked for as JSON', async () => {
    const { tool } = echo()
    const { caller, provider } = callerOf(['{"type":"final","content":"All done!"}', 'ok'], {
      mode: 'json',
    })
    const { value, dialog } = await caller.call(
      Dialog.seed().send(plain.extend({ path: 'p', tools: [tool] }), { what: 'it' }),
    )
    expect([value, dialog.tail?.content]).toEqual(['All done!', 'All done!'])
    await failureOf(caller.call(dialog))
    expect(provider.requests).toHaveLength(1)
  })

  test('a call with tools is asked again for a reply that was cut', async () => {
    const { caller, provider } = callerOf([{ text: 'It is', cut: true }, 'It is warm.'], {
      limits: { maxRecalls: 0 },
    })
    const { dialog } = await failureOf(caller.call(Dialog.seed().send('Warm?')))
    expect(dialog.tail).toMatchObject({ content: 'It is', cut: true })
    const { value, dialog: after } = await caller.call(dialog)
    expect(value).toBe('It is warm.')
    expect(sentTo(provider)).toEqual(['user: Warm?'])
    expect(after.messages.map(({ content }) => content)).toEqual(['Warm?', 'It is warm.'])
  })

  test('a call with tools executes the same call once and refuses the second one with a text for the model', async () => {
    const { tool, calls } = echo()
    const { caller, provider } = callerOf([
      asks('echo', { value: 'a' }),
      asks('echo', { value: 'a' }),
      'Done.',
    ])
    const { trace } = await caller.call(
      Dialog.seed().send(plain.extend({ path: 'p', tools: [tool] }), { what: 'it' }),
    )
    expect(calls).toHaveLength(1)
    expect(sentTo(provider).at(-1)).toContain(repeatText)
    expect(toolCallsOf(trace).map(({ isRepeated, success }) => [isRepeated, success])).toEqual([
      [false, true],
      [true, false],
    ])
  })

  test('a call with tools lets a polling tool be called again', async () => {
    const { tool, calls } = echo()
    const { caller } = callerOf([asks('echo'), asks('echo'), asks('echo'), 'Done.'], {
      limits: { repeatableTools: ['echo'] },
    })
    await caller.call(
      Dialog.seed().send(plain.extend({ path: 'p', tools: [tool] }), { what: 'it' }),
    )
    expect(calls).toHaveLength(3)
  })

  test('a call with tools shows the model a tool that throws, a function that does not exist and malformed arguments as results', async () => {
    const { tool, calls } = recordingTool('boom', () => {
      throw new Error('msg')
    })
    const { caller, provider } = callerOf([
      asks('boom', { value: 'x' }),
      asks('nothing'),
      { toolCalls: [{ name: 'boom', argumentsText: '{"value": ' }] },
      'Done.',
    ])
    const { value, trace } = await caller.call(
      Dialog.seed().send(plain.extend({ path: 'p', tools: [tool] }), { what: 'it' }),
    )
    expect([value, calls.length]).toEqual(['Done.', 1])
    expect(toolCallsOf(trace)[0]).toMatchObject({
      success: false,
      errorMessage: 'msg',
      resultText: 'Error: msg',
    })
    const results = provider.requests[3]?.messages.filter(({ role }) => role === 'tool') ?? []
    expect(results.map((result) => 'isError' in result && result.isError)).toEqual([
      true,
      true,
      true,
    ])
    expect(toolCallsOf(trace)).toHaveLength(3)
  })

  test('a call with tools asks for the final reply without tools once the rounds are used up', async () => {
    const { tool, calls } = echo()
    const rounds = Array.from({ length: 2 }, (_, index) => asks('echo', { value: String(index) }))
    const { caller, provider } = callerOf([...rounds, 'My summary.'], {
      limits: { maxToolRounds: 2 },
    })
    const { value, trace } = await caller.call(
      Dialog.seed().send(plain.extend({ path: 'p', tools: [tool] }), { what: 'it' }),
    )
    expect([value, calls.length]).toEqual(['My summary.', 2])
    expect(sentTo(provider).at(-1)).toBe(`user: ${defaultHandlers.lastCall}`)
    expect(provider.requests.map(({ tools }) => tools.length)).toEqual([1, 1, 0])
    expect(trace.entries).toContainEqual(
      expect.objectContaining({ type: 'last-call', toolRounds: 2 }),
    )
  })

  test('a call with tools executes no tool call after the last model call, and keeps everything that was said', async () => {
    const { tool, calls } = echo()
    const rounds = Array.from({ length: 4 }, (_, index) => asks('echo', { value: String(index) }))
    const { caller } = callerOf(rounds, { limits: { maxToolRounds: 2 } })
    const error = await failureOf(
      caller.call(Dialog.seed().send(plain.extend({ path: 'p', tools: [tool] }), { what: 'it' })),
    )
    expect(error).toMatchObject({
      code: 'limit-exceeded',
      limit: 'tool-rounds',
      state: 'interrupt',
    })
    expect(calls).toHaveLength(2)
    expect(error.dialog.messages.filter(({ role }) => role === 'tool')).toHaveLength(3)
    expect(error.trace.entries.at(-1)).toMatchObject({ type: 'state', to: 'failure' })
  })

  test('a call with tools offers no tools at all with 0 rounds', async () => {
    const { tool } = echo()
    const { caller, provider } = callerOf(['No tools here.'], { limits: { maxToolRounds: 0 } })
    await caller.call(
      Dialog.seed().send(plain.extend({ path: 'p', tools: [tool] }), { what: 'it' }),
    )
    expect(provider.requests[0]?.tools).toEqual([])
  })
})

describe('a parser that refuses the reply', () => {
  const dialog = Dialog.seed().send(answer, { what: 'it so' })

  test('a parser that refuses the reply has the model try again, and the dialog forgets the attempts', async () => {
    const { caller, provider } = callerOf(['hm', 'well', 'maybe', 'Yes.'])
    const { value, dialog: after, trace } = await caller.call(dialog)
    expect(value).toBe('yes')
    expect(after.messages.map(({ content }) => content)).toEqual(['Is it so?', 'Yes.'])
    expect(after.messages[0]).toBe(dialog.messages[0])
    expect(sentTo(provider).slice(-2)).toEqual([
      'assistant: maybe',
      'user: Error: expected one of yes, no, found "maybe". Please fix.',
    ])
    const pruned = trace.entries.find((entry) => entry.type === 'pruned')
    expect(pruned?.messages.map(({ role }) => role)).toEqual([
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ])
    expect(
      trace.entries.flatMap((entry) =>
        entry.type === 'parse-error' ? [[entry.attempt, entry.text]] : [],
      ),
    ).toEqual([
      [1, 'hm'],
      [2, 'well'],
      [3, 'maybe'],
    ])
  })

  test('a parser that refuses the reply ends the call after the last retry with everything that is wrong', async () => {
    const { caller, provider } = callerOf(['hm'])
    const error = await failureOf(caller.call(dialog))
    expect(error).toMatchObject({ code: 'protocol', limit: 'parse-retries', state: 'exception' })
    expect(error.cause).toBeInstanceOf(ParseError)
    expect(error.cause).toMatchObject({
      text: 'hm',
      problems: ['expected one of yes, no, found "hm"'],
    })
    expect(provider.requests).toHaveLength(4)
    expect(error.message).toContain('agent "tester", prompt "answer": ')
  })

  test('a parser that refuses the reply counts an empty reply as one that was refused', async () => {
    const { caller } = callerOf(['', 'no'])
    const { value, trace } = await caller.call(dialog)
    expect(value).toBe('no')
    expect(trace.entries.filter(({ type }) => type === 'parse-error')).toHaveLength(1)
  })

  test('a parser that refuses the reply counts parse retries apart from tool rounds', async () => {
    const { tool } = recordingTool('look', ({ value }) => value)
    const prompt = answer.extend({ path: 'p', tools: [tool] })
    const { caller } = callerOf(
      [
        'hm',
        'hm',
        asks('look', { value: 'a' }),
        'hm',
        'hm',
        asks('look', { value: 'b' }),
        'hm',
        'hm',
        'yes',
      ],
      { limits: { maxParseRetries: 2, maxToolRounds: 2 } },
    )
    const { value, trace } = await caller.call(Dialog.seed().send(prompt, { what: 'it' }))
    expect(value).toBe('yes')
    expect(trace.entries.filter(({ type }) => type === 'pruned')).toHaveLength(3)
  })

  test('a parser that refuses the reply uses the handlers of the prompt, with its arguments', async () => {
    const onParseError = 'About {what}: {error_message}'
    const { caller, provider } = callerOf(['hm', 'yes'])
    await caller.call(
      Dialog.seed().send(answer.extend({ path: 'p', onParseError }), { what: 'rain' }),
    )
    expect(sentTo(provider).at(-1)).toBe('user: About rain: expected one of yes, no, found "hm"')
  })

  test('a parser that refuses the reply lets a handler bring a parser of its own, and inherit the one of its prompt otherwise', async () => {
    const lenient = definePrompt({
      path: 'lenient',
      text: 'Just say it: {error_message}',
      parse: custom((reply): 'yes' | 'no' => (reply.includes('y') ? 'yes' : 'no')),
    })
    const same = definePrompt<'Again: {error_message}', never>({
      path: 'same',
      text: 'Again: {error_message}',
    })
    const own = callerOf(['hm', 'yep'])
    expect(
      (
        await own.caller.call(
          Dialog.seed().send(answer.extend({ path: 'p', onParseError: lenient }), { what: 'it' }),
        )
      ).value,
    ).toBe('yes')
    const inherited = callerOf(['hm', 'yep', 'no'])
    expect(
      (
        await inherited.caller.call(
          Dialog.seed().send(answer.extend({ path: 'p', onParseError: same }), { what: 'it' }),
        )
      ).value,
    ).toBe('no')
  })

  test('a parser that refuses the reply gets the arguments that the caller passed for it', async () => {
    const prompt = definePrompt({
      path: 'p',
      text: 'x',
      parse: custom((reply, { args }) => `${reply} ${String(args)}`),
    })
    const { caller } = callerOf(['reply'])
    expect((await caller.call(Dialog.seed().send(prompt), { parserArgs: 7 })).value).toBe('reply 7')
  })

  test('a parser that refuses the reply ends the call with what was wrong if the last reply was refused before the parser saw it', async () => {
    const { caller } = callerOf(['hm', ''])
    const error = await failureOf(caller.call(dialog))
    expect(error.message).toMatch(
      /4 replies in a row that could not be used\. The last one: Your reply was empty\.$/,
    )
    expect(error.cause).toMatchObject({ text: '', problems: ['Your reply was empty.'] })
  })

  test('a parser that refuses the reply ends the call at once if no retry is allowed', async () => {
    const { caller, provider } = callerOf(['hm'], { limits: { maxParseRetries: 0 } })
    expect(await failureOf(caller.call(dialog))).toMatchObject({ limit: 'parse-retries' })
    expect(provider.requests).toHaveLength(1)
  })
})

describe('a fault of the network or the server', () => {
  const overloaded = { error: 'overloaded' } as const

  test('a fault of the network or the server ends the call if no recall is allowed', async () => {
    const { caller } = callerOf([overloaded])
    const error = await failureOf(caller.call(Dialog.seed().send('Hi')))
    expect(error).toMatchObject({ code: 'overloaded', state: 'calling', retryable: true })
    expect(error.dialog.messages).toHaveLength(1)
  })

  test('a fault of the network or the server does not end the call while recalls are left, and each recall is reported', async () => {
    const reports: CallReport[] = []
    const { caller, provider } = callerOf([overloaded, { error: 'network' }, 'Here.'], {
      limits: { maxRecalls: 2 },
      reports: (report) => void reports.push(report),
    })
    const { value, trace } = await caller.call(Dialog.seed().send(plain, { what: 'it' }))
    expect([value, provider.requests.length]).toEqual(['Here.', 3])
    expect(
      trace.entries.flatMap((entry) =>
        entry.type === 'recall' ? [[entry.attempt, entry.code]] : [],
      ),
    ).toEqual([
      [1, 'overloaded'],
      [2, 'network'],
    ])
    expect(reports.map(({ kind, code, state }) => [kind, code, state])).toEqual([
      ['recall', 'overloaded', 'calling'],
      ['recall', 'network', 'calling'],
    ])
  })

  test('a recall resumes the run in the middle of a call: tools run once, limits and guards hold', async () => {
    const { tool, calls } = recordingTool('look', ({ value }) => value)
    const prompt = answer.extend({ path: 'p', tools: [tool] })
    const { caller, provider } = callerOf(
      [
        asks('look', { value: 'a' }),
        overloaded,
        asks('look', { value: 'a' }),
        'hm',
        overloaded,
        overloaded,
        'yes',
      ],
      { limits: { maxRecalls: 3, maxToolRounds: 2 } },
    )
    const { value, dialog, trace } = await caller.call(Dialog.seed().send(prompt, { what: 'it' }))
    expect([value, calls.length, provider.requests.length]).toEqual(['yes', 1, 7])
    expect(toolCallsOf(trace)[1]).toMatchObject({ isRepeated: true })
    expect(dialog.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'user',
      'assistant',
    ])
  })

  test('a fault of the network or the server is not recalled when the same request would fail again', async () => {
    const { caller, provider } = callerOf([{ error: 'auth' }], { limits: { maxRecalls: 5 } })
    expect(await failureOf(caller.call(Dialog.seed().send('Hi')))).toMatchObject({ code: 'auth' })
    expect(provider.requests).toHaveLength(1)
  })

  test('a recall waits no longer than the signal and the deadline allow', async () => {
    const settings = { limits: { maxRecalls: 5 }, recallDelayMs: () => 3_600_000 }
    const controller = new AbortController()
    const aborted = callerOf([overloaded], {
      ...settings,
      reports: () => controller.abort(new Error('enough')),
    })
    const error = await failureOf(
      aborted.caller.call(Dialog.seed().send('Hi'), { signal: controller.signal }),
    )
    expect(error).toMatchObject({ code: 'aborted', state: 'recall', cause: new Error('enough') })
    const late = callerOf([overloaded], settings)
    expect(
      await failureOf(late.caller.call(Dialog.seed().send('Hi'), { deadlineMs: 20 })),
    ).toMatchObject({
      code: 'timeout',
      state: 'recall',
    })
  })

  test('a fault of the network or the server is reported without any text of the conversation', async () => {
    const reports: CallReport[] = []
    const { caller } = callerOf([asks('look', { value: 'secret' }), overloaded], {
      reports: (report) => {
        reports.push(report)
        throw new Error('the disk is full')
      },
    })
    const { tool } = recordingTool('look', () => 'secret')
    await failureOf(
      caller.call(
        Dialog.seed().send(plain.extend({ path: 'p', tools: [tool] }), { what: 'secret' }),
      ),
    )
    expect(reports).toHaveLength(1)
    expect(JSON.stringify(reports)).not.toContain('secret')
    expect(reports[0]).toMatchObject({
      kind: 'failure',
      agent: 'tester',
      code: 'overloaded',
      prompts: [{ path: 'p' }],
    })
    expect(reports[0]?.steps.map(({ type }) => type)).toContain('tool-call')
  })
})

describe('other ends of a call', () => {
  test('an error that nobody catches prints its message and state, not the conversation', async () => {
    const { caller } = callerOf([{ error: new LlmError('auth', 'no key') }])
    const error = await failureOf(
      caller.call(Dialog.seed('A long system text').send('A long question')),
    )
    expect(error.dialog.messages).toHaveLength(2)
    const printed = inspect(error)
    expect(printed).toContain("state: '")
    expect(printed).not.toContain('A long')
    expect(printed.split('\n').length).toBeLessThan(40)
  })

  test('an abort ends the call with its reason', async () => {
    const controller = new AbortController()
    const { tool } = recordingTool('stop', () => controller.abort(new Error('enough')))
    const { caller } = callerOf([asks('stop'), 'never'])
    const error = await failureOf(
      caller.call(Dialog.seed().send(plain.extend({ path: 'p', tools: [tool] }), { what: 'it' }), {
        signal: controller.signal,
      }),
    )
    expect(error).toMatchObject({ code: 'aborted', state: 'interrupt', cause: new Error('enough') })
    const before = callerOf(['x'])
    expect(
      await failureOf(
        before.caller.call(Dialog.seed().send('x'), { signal: AbortSignal.abort(new Error('no')) }),
      ),
    ).toMatchObject({ code: 'aborted', state: 'initial' })
  })

  test('a budget ends the call, and calls can share a ledger', async () => {
    const ledger = new BudgetLedger({ maxCalls: 1 })
    const { caller } = callerOf(['one', 'two'], { budget: ledger })
    await caller.call(Dialog.seed().send('Hi'))
    expect(await failureOf(caller.call(Dialog.seed().send('Hi')))).toMatchObject({
      code: 'budget-exceeded',
    })
    expect(ledger.spent.calls).toBe(1)
  })

  test('a refusal ends the call', async () => {
    const { caller } = callerOf([{ text: 'I will not.', finish: 'content-filter' }])
    expect(await failureOf(caller.call(Dialog.seed().send('x')))).toMatchObject({
      code: 'content-filter',
      state: 'calling',
    })
  })

  test('a limit that is out of range is refused before anything is sent', async () => {
    const { caller, provider } = callerOf(['x'])
    const error = await failureOf(
      caller.call(Dialog.seed().send('x'), { limits: { maxRecalls: -1 } }),
    )
    expect(error.message).toContain(
      'limits.maxRecalls must be a whole number between 0 and 1000, not -1',
    )
    expect(provider.requests).toHaveLength(0)
    expect(() => callerOf(['x'], { limits: { maxTries: 1 } as never })).toThrow(
      'limits: unknown limit "maxTries"; known: maxParseRetries',
    )
  })

  test('a parser that throws ends the call as a refused reply, not as a crash', async () => {
    const prompt = definePrompt({
      path: 'p',
      text: 'x',
      parse: custom(() => {
        throw new LlmError('unknown', 'not like this')
      }),
    })
    const { caller } = callerOf(['x'], { limits: { maxParseRetries: 1 } })
    expect(await failureOf(caller.call(Dialog.seed().send(prompt)))).toMatchObject({
      limit: 'parse-retries',
    })
  })
})

describe('a dialog that was stored in the middle of a tool round', () => {
  test('a dialog that was stored in the middle of a tool round continues, and the model reads that the outcome of the call is unknown', async () => {
    const { tool } = recordingTool('look', ({ value }) => value)
    const prompt = plain.extend({ path: 'p', tools: [tool] })
    const calls = ['a', 'b'].map((id) => ({ id, name: 'look', arguments: {}, argumentsText: '{}' }))
    const open = Dialog.seed('x')
      .send(prompt, { what: 'it' })
      .append(
        { role: 'assistant', content: '', toolCalls: calls },
        { role: 'tool', toolCallId: 'b', content: 'found' },
      )
    const back = Dialog.fromJson(
      JSON.parse(JSON.stringify(open.toJson())),
      new PromptRegistry([prompt]),
    ).expect(prompt)
    const { caller, provider } = callerOf(['Done.'])
    const { value, dialog } = await caller.call(back)
    expect(value).toBe('Done.')
    expect(sentTo(provider).slice(3)).toEqual([
      'tool: The conversation was stored before this call had a result: whether it had an effect is unknown. Call it again if it is needed.',
      'tool: found',
    ])
    expect(dialog.topPrompt).toBe(prompt)
  })
})

describe('a call that waits for an approval', () => {
  test('a call that waits for an approval ends with a checkpoint, and continues from it with the decision', async () => {
    const { tool, calls } = recordingTool('send', ({ value }) => `sent ${String(value)}`)
    const prompt = answer.extend({ path: 'p', tools: [tool] })
    const settings = {
      authorize: () => ({ effect: 'require-approval', reason: 'it is final' }) as const,
    }
    const { caller } = callerOf([asks('send', { value: 'a' }), 'hm', 'yes'], settings)
    const error = await failureOf(
      caller.call(Dialog.seed('Be brief.').send(prompt, { what: 'it' })),
    )
    expect(error).toMatchObject({ code: 'aborted', state: 'interrupt' })
    expect(calls).toEqual([])
    const stored = JSON.parse(
      JSON.stringify({ ...error.suspension, dialog: error.dialog.toJson() }),
    ) as CallSuspension & {
      readonly dialog: unknown
    }
    const pending = stored.pending[0] as Extract<PendingItem, { type: 'approval' }>
    expect(pending).toMatchObject({
      type: 'approval',
      reason: 'it is final',
      action: { tool: 'send' },
    })
    const dialog = Dialog.fromJson(stored.dialog, new PromptRegistry([prompt])).expect(prompt)
    const { value, trace } = await caller.call(dialog, {
      resume: stored.checkpoint,
      decisions: [{ type: 'approve', id: pending.id, digest: pending.digest }],
    })
    expect([value, calls]).toEqual(['yes', [{ value: 'a' }]])
    expect(trace.entries.flatMap((entry) => (entry.type === 'state' ? [entry.to] : []))).toEqual([
      'interrupt',
      'calling',
      'exception',
      'calling',
      'success',
    ])
  })

  test('a call that waits for an approval writes every effect into the journal of the caller', async () => {
    const written: string[] = []
    const journal: RunJournal = {
      writeIntent: ({ kind, key }) => void written.push(`intent ${kind} ${key}`),
      writeReceipt: ({ kind, key }) => void written.push(`receipt ${kind} ${key}`),
      writeCheckpoint: ({ step }) => void written.push(`checkpoint ${step}`),
      readTail: () => ({ entries: [] }),
    }
    const { tool } = recordingTool('look', () => 'seen')
    const { caller } = callerOf([asks('look'), 'Done.'])
    const prompt = plain.extend({ path: 'p', tools: [tool] })
    await caller.call(Dialog.seed().send(prompt, { what: 'it' }), {
      journal,
      scope: { keyPrefix: 'task-1' },
    })
    expect(written.filter((line) => line.startsWith('intent'))).toEqual([
      expect.stringMatching(/^intent model task-1\//),
      expect.stringMatching(/^intent tool task-1\//),
      expect.stringMatching(/^intent model task-1\//),
    ])
    expect(written.filter((line) => line.startsWith('receipt'))).toHaveLength(3)
  })
})

describe('the events of a call', () => {
  const prompt = definePrompt({
    path: 'p',
    text: 'x',
    parse: tags({ xml: { list: json(z.array(z.string())) }, optional: { notes: text() } }),
  })

  test('the events of a call are states, deltas and partial values', async () => {
    const { caller } = callerOf(['<notes>ab</notes><list>["c","d"]</list>'], {}, { chunkSize: 5 })
    const reader = caller.run(Dialog.seed().send(prompt))
    const seen = []
    for await (const event of reader) seen.push(event)
    const outcome = await reader.result()
    expect(outcome).toMatchObject({ status: 'success', value: { notes: 'ab', list: ['c', 'd'] } })
    expect(
      seen.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join(''),
    ).toContain('["c","d"]')
    expect(seen.flatMap((event) => (event.type === 'partial' ? [event.value] : [])).at(-1)).toEqual(
      {
        notes: 'ab',
        list: ['c', 'd'],
      },
    )
    expect(seen.at(-1)).toMatchObject({ type: 'state', to: 'success' })
  })

  test('the events of a call come at the pace of the reader, and closing it aborts the call', async () => {
    const { caller } = callerOf([Array.from({ length: 1000 }, () => 'word ').join('')])
    const reader = caller.run(Dialog.seed().send('Go'))
    const first = [await reader.next(), await reader.next()]
    expect(first.map(({ done }) => done)).toEqual([false, false])
    await reader.close()
    expect(await reader.next()).toEqual({ done: true, value: undefined })
    expect(await reader.result()).toMatchObject({ status: 'failure', error: { code: 'aborted' } })
  })

  test('the events of a call may be left unread: the result never rejects', async () => {
    const { caller } = callerOf(['ok', { error: 'auth' }])
    expect(await caller.run(Dialog.seed().send('x')).result()).toMatchObject({
      status: 'success',
      value: 'ok',
    })
    expect(await caller.run(Dialog.seed().send('x')).result()).toMatchObject({
      status: 'failure',
      error: { code: 'auth' },
    })
  })
})
