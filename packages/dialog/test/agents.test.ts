import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { LlmError } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { BudgetLedger } from '@modelport/runtime'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CallReport } from '../src/call/reports.js'
import {
  AgentTypeRegistry,
  type CallTrace,
  createAgents,
  createDialogCaller,
  Dialog,
  defineAgentType,
  definePrompt,
  PromptRegistry,
} from '../src/index.js'
import { createReportWriter, loadPrompts, parseAgentToml, parseAgentYaml, readPrompts } from '../src/node.js'
import { parseReply } from '../src/parse/parser.js'
import { recordingTool } from './call-tools.js'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dialog-'))
})
afterAll(() => rm(folder, { recursive: true, maxRetries: 5, force: true }))

const toml = `
[agent_configs.researcher]
model_name = "fast"
system_prompt_path = "research/system"
api_type = "response"
max_exception_retry = 10
max_interrupt_steps = 20
max_llm_recall = 5
temperature = 0.3
max_tokens = 900

[agent_configs."the editor"]
model_name = "mock:big"
max_interrupt_times = 0
[agent_configs."the editor".vendor]
user = "x"

[other]
anything = 1
`

describe('agents of a configuration', () => {
  test('agents of a configuration are read from TOML as LLLM writes it: limits do not leak into the options', () => {
    expect(parseAgentToml(toml, 'agents.toml')).toEqual([
      {
        name: 'researcher',
        model: 'fast',
        systemPath: 'research/system',
        apiType: 'response',
        limits: { maxParseRetries: 10, maxToolRounds: 20, maxRecalls: 5 },
        options: { temperature: 0.3, maxTokens: 900 },
        where: 'agents.toml, line 2: agent_configs.researcher',
      },
      {
        name: 'the editor',
        model: 'mock:big',
        apiType: 'completion',
        // Without a limit there, which is 100 here.
        limits: { maxToolRounds: 100 },
        options: { vendor: { user: 'x' } },
        where: 'agents.toml, line 12: agent_configs.the editor',
      },
    ])
  })

  test('agents of a configuration are the same in YAML, where 0 tool rounds mean no tools', () => {
    const yaml =
      'models: {}\nagents:\n  editor:\n    model: fast\n    maxToolRounds: 0\n    maxTokens: 5\n    stop: ["."]\n'
    expect(parseAgentYaml(yaml, 'm.yaml')).toEqual([
      {
        name: 'editor',
        model: 'fast',
        apiType: 'completion',
        limits: { maxToolRounds: 0 },
        options: { maxTokens: 5, stop: ['.'] },
        where: 'm.yaml, line 3: agents.editor',
      },
    ])
  })

  test('agents of a configuration are refused with file, line, what was found and what to do, all at once', () => {
    const wrong = [
      '[agent_configs.a]',
      'model_nam = "x"',
      'max_llm_recal = 1',
      'temperature = 9',
      'api_type = "chat"',
      'note = """',
      'model_name = "not a key"',
      '"""',
      '[agent_configs.b]',
      'model_name = 5',
      'max_exception_retry = -1',
    ].join('\n')
    const error = expect.objectContaining({ code: 'config' })
    expect(() => parseAgentToml(wrong, 'a.toml')).toThrow(error)
    try {
      parseAgentToml(wrong, 'a.toml')
    } catch (found) {
      expect((found as Error).message.split('\n')).toEqual([
        'a.toml, line 2: agent_configs.a.model_nam is not a setting of an agent; did you mean "model_name"?',
        'a.toml, line 3: agent_configs.a.max_llm_recal is not a setting of an agent; did you mean "max_llm_recall"?',
        expect.stringMatching(/^a.toml, line 6: agent_configs.a.note is not a setting of an agent/),
        'a.toml, line 1: agent_configs.a has no model; set model_name to a name of your models or to "provider:model"',
        'a.toml, line 5: agent_configs.a.api_type must be "completion" or "response", not "chat"',
        'a.toml, line 4: agent_configs.a.temperature: temperature must be a number between 0 and 2, not 9',
        'a.toml, line 10: agent_configs.b.model_name must be a text, not 5',
        'a.toml, line 11: agent_configs.b.max_exception_retry: limits.maxParseRetries must be a whole number between 0 and 99, not -1',
      ])
    }
  })

  test.each([
    ['= 1', parseAgentToml, /^f, line 1, column 1: /],
    [
      'a = 1',
      parseAgentToml,
      'f: agent_configs must be agents by name, found nothing; add agent_configs with an entry for each agent',
    ],
    ['agents: [', parseAgentYaml, /^f, line 1, column 10: /],
    ['agents: 5', parseAgentYaml, 'f, line 1: agents must be agents by name, found 5'],
    ['agents:\n  a: 5', parseAgentYaml, 'f, line 2: agents.a must be settings by name, not 5'],
  ])('agents of a configuration name the place of a broken file: %j', (source, parse, message) => {
    expect(() => parse(source, 'f')).toThrow(message)
  })

  test('agents of a configuration are made with the provider and the prompts of the application', async () => {
    const prompts = new PromptRegistry([definePrompt({ path: 'research/system', text: 'Research.' })])
    const agents = await createAgents(parseAgentToml(toml, 'f'), {
      prompts,
      provider: ({ model, apiType }) => createMock({ model: `${model}/${apiType}`, responses: ['Found.'] }),
      limits: { maxRecalls: 1 },
    })
    expect(Object.keys(agents)).toEqual(['researcher', 'the editor'])
    const { researcher, 'the editor': editor } = agents
    expect(researcher?.settings).toMatchObject({ apiType: 'response', limits: { maxRecalls: 5, maxParseRetries: 10 } })
    expect(researcher?.settings.provider.model).toBe('fast/response')
    expect(editor?.settings.limits).toMatchObject({ maxRecalls: 1 })
    expect(researcher?.open().messages).toEqual([{ role: 'system', content: 'Research.' }])
    const failed = createAgents(parseAgentToml(toml, 'f'), {
      prompts: new PromptRegistry(),
      provider: () => createMock({ responses: ['x'] }),
    })
    await expect(failed).rejects.toThrow('f, line 2: agent_configs.researcher: there is no prompt "research/system"')
  })
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
        createDialogCaller({ name, provider: createMock({ responses: [responses[index] ?? 'x'] }) }),
      ]),
    )

  test('agent types are built with the agents of their groups', async () => {
    const registry = new AgentTypeRegistry().register(desk)
    expect(await registry.build(desk, agents('Facts.', 'An article.')).call('SSE')).toBe('An article.')
    expect(await registry.build('desk', agents('Facts.', 'Another.')).call('SSE')).toBe('Another.')
    expect(registry.list()).toEqual(['desk'])
  })

  test('agent types say which agents and which types are missing', () => {
    const registry = new AgentTypeRegistry().register(desk)
    expect(() => registry.build('desk', {})).toThrow(
      'agent type "desk": the configuration has no agent "researcher", "editor"; it has none',
    )
    expect(() => registry.build('news', {})).toThrow('there is no agent type "news"; known: desk')
    expect(() => registry.register(desk)).toThrow('an agent type "desk" is registered already')
  })

  test('agent types pass budget, signal and trace on to the calls inside them', async () => {
    const registry = new AgentTypeRegistry()
    const budget = new BudgetLedger({ maxCalls: 5 })
    const traces: CallTrace[] = []
    await registry.build(desk, agents()).call('SSE', { budget, onTrace: (trace) => void traces.push(trace) })
    expect([traces.map(({ agent }) => agent), budget.spent.calls]).toEqual([['researcher', 'editor'], 2])
    const short = registry.build(desk, agents()).call('SSE', { budget: { maxCalls: 1 } })
    await expect(short).rejects.toMatchObject({ code: 'budget-exceeded' })
    const aborted = registry.build(desk, agents()).call('SSE', { signal: AbortSignal.abort(new Error('no')) })
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
      { type: 'mcp', label: 'docs', url: 'https://docs.example/mcp', requireApproval: 'manual', whenMissing: 'refuse' },
    ])
    expect(await parseReply(ask.parser, '<answer>[1]</answer><notes>n</notes>')).toEqual({ answer: [1], notes: 'n' })
    expect(prompts.check()).toEqual([])
  })

  test('prompt files are read although files between them are wrong; loadPrompts throws the first error', async () => {
    await write('../mixed/a.md', 'Ask {')
    await write('../mixed/b.md', 'Ask {topic}')
    await write('../mixed/c.md', '---')
    const { prompts, unreadable } = await readPrompts(join(folder, 'mixed'))
    expect(prompts.list().map(({ path }) => path)).toEqual(['b'])
    expect(unreadable).toMatchObject([
      { path: 'a', error: { code: 'config', message: expect.stringContaining('a.md, line 1, column 5') } },
      {
        path: 'c',
        error: { code: 'config', message: expect.stringContaining('c.md, line 1, column 1: the front matter') },
      },
    ])
    await expect(loadPrompts(join(folder, 'mixed'))).rejects.toThrow(/a\.md, line 1, column 5/)
  })

  test('prompt files in a folder that does not exist are an error that names the folder', async () => {
    await expect(loadPrompts(join(folder, 'none'))).rejects.toThrow(/the prompt folder .*none cannot be read: ENOENT/)
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
    await write({ ...JSON.parse(await lastReport(reports)), time: '2999-01-01T00:00:00.000Z' } as CallReport)
    const names = await readdir(reports)
    expect(names).toHaveLength(3)
    expect(names.every((name) => /^a-b-c_[\dTZ-]+_[\da-f]{4}\.json$/.test(name))).toBe(true)
    expect(JSON.parse(await lastReport(reports))).toMatchObject({ kind: 'failure', agent: 'a/b c', code: 'auth' })
    expect((await stat(reports)).mode & 0o077).toBe(0)
  })

  test('the report writer refuses to keep 0 files', () => {
    expect(() => createReportWriter({ folder, most: 0 })).toThrow('most must be a whole number of at least 1, not 0')
  })
})

async function lastReport(reports: string): Promise<string> {
  const latest = (await readdir(reports)).toSorted().at(-1)
  return readFile(join(reports, latest as string), 'utf8')
}
