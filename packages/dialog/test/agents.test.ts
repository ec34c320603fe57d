import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { LlmError } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { BudgetLedger } from '@modelport/runtime'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CallReport } from '../src/call/reports.js'
import {
  type CallTrace,
  createAgents,
  createDialogCaller,
  Dialog,
  defineAgentType,
  definePrompt,
  PromptRegistry,
} from '../src/index.js'
import { createReportWriter, loadPrompts, readPrompts } from '../src/node.js'
import { parseReply } from '../src/parse/parser.js'
import { recordingTool } from './call-tools.js'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dialog-'))
})
afterAll(() => rm(folder, { recursive: true, maxRetries: 5, force: true }))

describe('agents of a system', () => {
  const prompts = new PromptRegistry([definePrompt({ path: 'research/system', text: 'Research.' })])
  const configs = {
    researcher: {
      model: 'fast',
      systemPath: 'research/system',
      apiType: 'response',
      limits: { maxParseRetries: 10, maxRecalls: 5 },
      options: { temperature: 0.3 },
    },
    editor: { model: 'mock:big' },
  } as const

  test('agents of a system are made with the provider, the prompts and the settings that they share', async () => {
    const { researcher, editor } = await createAgents(configs, {
      prompts,
      provider: ({ model, apiType }, name) =>
        createMock({ model: `${model}/${apiType}/${name}`, responses: ['Found.'] }),
      limits: { maxRecalls: 1, maxToolRounds: 0 },
      options: { temperature: 1, maxTokens: 5 },
    })
    expect(researcher.settings).toMatchObject({
      name: 'researcher',
      apiType: 'response',
      limits: { maxRecalls: 5, maxParseRetries: 10, maxToolRounds: 0 },
      options: { temperature: 0.3, maxTokens: 5 },
    })
    expect(researcher.settings.provider.model).toBe('fast/response/researcher')
    expect(researcher.open().messages).toEqual([{ role: 'system', content: 'Research.' }])
    expect(editor.settings).toMatchObject({
      limits: { maxRecalls: 1 },
      options: { temperature: 1 },
    })
    expect(editor.open().messages).toEqual([])
  })

  test('agents of a system are the same from JSON', async () => {
    const agents = await createAgents(JSON.parse(JSON.stringify(configs)) as typeof configs, {
      prompts,
      provider: () => createMock({ responses: ['Found.'] }),
    })
    expect(Object.keys(agents)).toEqual(['researcher', 'editor'])
  })

  test('agents of a system take the eight keys of LLLM, and limits do not leak into the options', async () => {
    const models: unknown[] = []
    const { researcher, editor } = await createAgents(
      {
        researcher: {
          model_name: 'gpt-4o-mini',
          system_prompt_path: 'research/system',
          api_type: 'response',
          max_exception_retry: 10,
          max_interrupt_steps: 20,
          max_llm_recall: 5,
          max_tokens: 7,
        },
        editor: { model_name: 'fast', max_interrupt_times: 0, options: { temperature: 0.2 } },
      },
      {
        prompts,
        provider: (config) => {
          models.push(config.model, config.apiType)
          return createMock({ model: config.model, responses: ['Found.'] })
        },
      },
    )

    expect(models).toEqual(['gpt-4o-mini', 'response', 'fast', undefined])
    expect(researcher.settings).toMatchObject({
      apiType: 'response',
      limits: { maxParseRetries: 10, maxToolRounds: 20, maxRecalls: 5 },
    })
    expect(researcher.settings.options).toEqual({ maxTokens: 7 })
    expect(researcher.open().messages).toEqual([{ role: 'system', content: 'Research.' }])

    // No limit there, which its later versions end at 100.
    expect(editor.settings.limits).toEqual({ maxToolRounds: 100 })
    expect(editor.settings.options).toEqual({ temperature: 0.2 })
  })

  test.each([
    ['a', 'LlmError', 'agent "a" must be settings by name, not "a"'],
    [{}, 'LlmError', 'agent "a": model must be a name of your models, not nothing'],
    [{ model: 5 }, 'LlmError', 'agent "a": model must be a name of your models, not 5'],
    [{ modle: 'm' }, 'TypeError', 'agent "a": unknown setting "modle"; did you mean "model"?'],
    [
      { model_name: 'm', max_llm_recal: 1 },
      'TypeError',
      'agent "a": unknown setting "max_llm_recal"; did you mean "max_llm_recall"?',
    ],
    [
      { model_name: 'm', temperature: 0.2 },
      'TypeError',
      'agent "a": unknown setting "temperature"; set options.temperature',
    ],
    [
      { model_name: 'm', model: 'n' },
      'LlmError',
      'agent "a": model_name is model, which is set already; leave one out',
    ],
    [
      { model: 'm', limits: { maxRecalls: 1 }, max_llm_recall: 2 },
      'LlmError',
      'agent "a": max_llm_recall is limits.maxRecalls, which is set already; leave one out',
    ],
    [
      { model: 'm', apiType: 'chat' },
      'LlmError',
      'agent "a": apiType must be "completion" or "response", not "chat"',
    ],
    [
      { model: 'm', systemPath: 5 },
      'LlmError',
      'agent "a": systemPath must be the path of a prompt, not 5',
    ],
    [
      { model: 'm', limits: { maxRecals: 1 } },
      'LlmError',
      /^agent "a": limits: unknown limit "maxRecals"; did you/,
    ],
    [
      { model: 'm', limits: { maxParseRetries: -1 } },
      'LlmError',
      /^agent "a": limits.maxParseRetries must be/,
    ],
    [
      { model: 'm', options: { temperature: 9 } },
      'LlmError',
      /^agent "a": temperature must be a number between/,
    ],
  ])(
    'agents of a system are refused with the name of the agent and what to do: %j',
    async (config, name, message) => {
      const made = createAgents({ a: config } as Parameters<typeof createAgents>[0], {
        prompts,
        provider: () => createMock({ responses: ['x'] }),
      })
      const error: unknown = await made.catch((reason: unknown) => reason)
      expect(error).toMatchObject({
        name,
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      })
    },
  )
})

describe('agent types', () => {
  const desk = defineAgentType({
    type: 'desk',
    groups: ['researcher', 'editor'],
    call: async (topic: string, { agents }) => {
      const found = await agents.researcher.call(agents.researcher.open().send(topic))
      return (await agents.editor.call(agents.editor.open().send(found.value))).value
    },
  })
  const agents = (...responses: string[]) =>
    Object.fromEntries(
      ['researcher', 'editor'].map((name, index) => [
        name,
        createDialogCaller({
          name,
          provider: createMock({ responses: [responses[index] ?? 'x'] }),
        }),
      ]),
    )

  test('agent types are built with the agents of their groups', async () => {
    expect(await desk.build(agents('Facts.', 'An article.')).call('SSE')).toBe('An article.')
  })

  test('agent types say which agents are missing', () => {
    expect(() => desk.build({})).toThrow(
      'agent type "desk": there is no agent "researcher", "editor"; there is none',
    )
    const { researcher } = agents()
    expect(() => desk.build({ researcher: researcher! })).toThrow(
      'there is no agent "editor"; there is researcher',
    )
  })

  test('agent types pass budget, signal and trace on to the calls inside them', async () => {
    const budget = new BudgetLedger({ maxCalls: 5 })
    const traces: CallTrace[] = []
    await desk.build(agents()).call('SSE', { budget, onTrace: (trace) => void traces.push(trace) })
    expect([traces.map(({ agent }) => agent), budget.spent.calls]).toEqual([
      ['researcher', 'editor'],
      2,
    ])
    const short = desk.build(agents()).call('SSE', { budget: { maxCalls: 1 } })
    await expect(short).rejects.toMatchObject({ code: 'budget-exceeded' })
    const aborted = desk.build(agents()).call('SSE', { signal: AbortSignal.abort(new Error('no')) })
    await expect(aborted).rejects.toMatchObject({ code: 'aborted', cause: new Error('no') })
  })
})

describe('prompt files', () => {
  const write = async (path: string, text: string): Promise<void> => {
    const file = join(folder, 'prompts', path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  const { tool } = recordingTool('search', () => '')

  test('prompt files become prompts by their path, with the settings of their front matter', async () => {
    await write('system.md', 'You are brief.\n')
    await write(
      'research/ask.md',
      [
        '---',
        'parse:',
        '  tags:',
        '    xml: { answer: { json: { type: array } } }',
        '    optional: [notes]',
        'tools: [search]',
        'onParseError: "Fix {topic}: {error_message}"',
        'onToolResults: false',
        'options: { temperature: 0 }',
        'webSearch: { whenMissing: omit }',
        'vendorMcp: [{ label: docs, url: "https://docs.example/mcp", requireApproval: manual }]',
        '---',
        '',
        'Find {topic}.',
        '',
        'With care.',
        '',
      ].join('\n'),
    )
    await write('notes.txt', 'not a prompt')
    const prompts = await loadPrompts(join(folder, 'prompts'), { tools: [tool] })
    expect(prompts.list().map(({ path }) => path)).toEqual(['research/ask', 'system'])
    const ask = prompts.get('research/ask')
    expect(ask.render({ topic: 'SSE' })).toBe('Find SSE.\n\nWith care.')
    expect(ask).toMatchObject({ onToolResults: false, options: { temperature: 0 }, tools: [tool] })
    expect(ask.providerTools).toEqual([
      { type: 'web-search', whenMissing: 'omit' },
      {
        type: 'mcp',
        label: 'docs',
        url: 'https://docs.example/mcp',
        requireApproval: 'manual',
        whenMissing: 'refuse',
      },
    ])
    expect(await parseReply(ask.parser, '<answer>[1]</answer><notes>n</notes>')).toEqual({
      answer: [1],
      notes: 'n',
    })
    expect(prompts.check()).toEqual([])
  })

  test('prompt files are read although files between them are wrong; loadPrompts throws the first error', async () => {
    await write('../mixed/a.md', 'Ask {')
    await write('../mixed/b.md', 'Ask {topic}')
    await write('../mixed/c.md', '---')
    const { prompts, unreadable } = await readPrompts(join(folder, 'mixed'))
    expect(prompts.list().map(({ path }) => path)).toEqual(['b'])
    expect(unreadable).toMatchObject([
      {
        path: 'a',
        error: { code: 'config', message: expect.stringContaining('a.md, line 1, column 5') },
      },
      {
        path: 'c',
        error: {
          code: 'config',
          message: expect.stringContaining('c.md, line 1, column 1: the front matter'),
        },
      },
    ])
    await expect(loadPrompts(join(folder, 'mixed'))).rejects.toThrow(/a\.md, line 1, column 5/)
  })

  test('prompt files in a folder that does not exist are an error that names the folder', async () => {
    await expect(loadPrompts(join(folder, 'none'))).rejects.toThrow(
      /the prompt folder .*none cannot be read: ENOENT/,
    )
  })
})

describe('the report writer', () => {
  test('the report writer writes one JSON file for each failure, and keeps the latest', async () => {
    const reports = join(folder, 'reports')
    const write = createReportWriter({ folder: reports, most: 3 })
    const provider = createMock({ responses: [{ error: new LlmError('auth', 'no key') }] })
    const writes: Promise<void>[] = []
    const caller = createDialogCaller({
      name: 'a/b c',
      provider,
      reports: (report) => {
        writes.push(write(report))
      },
    })
    for (let index = 0; index < 5; index++) await caller.run(Dialog.seed().send('x')).result()
    // A call does not wait for its report, so the test does.
    expect(writes).toHaveLength(5)
    await Promise.all(writes)
    await write({
      ...JSON.parse(await lastReport(reports)),
      time: '2999-01-01T00:00:00.000Z',
    } as CallReport)
    const names = await readdir(reports)
    expect(names).toHaveLength(3)
    expect(names.every((name) => /^a-b-c_[\dTZ-]+_[\da-f]{4}\.json$/.test(name))).toBe(true)
    expect(JSON.parse(await lastReport(reports))).toMatchObject({
      kind: 'failure',
      agent: 'a/b c',
      code: 'auth',
    })
    expect((await stat(reports)).mode & 0o077).toBe(0)
  })

  test('the report writer refuses to keep 0 files', () => {
    expect(() => createReportWriter({ folder, most: 0 })).toThrow(
      'most must be a whole number of at least 1, not 0',
    )
  })
})

async function lastReport(reports: string): Promise<string> {
  const latest = (await readdir(reports)).toSorted().at(-1)
  return readFile(join(reports, latest as string), 'utf8')
}
