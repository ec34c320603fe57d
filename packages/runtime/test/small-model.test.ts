import { type CallOptions, type Capabilities, mergeOptions, type Provider } from '@modelport/core'
import {
  createOpenAICompatible,
  presets,
  capabilities as serverCapabilities,
} from '@modelport/provider-openai-compatible'
import { afterAll, describe, expect, test } from 'vitest'
import { startLlamaServer } from '../../../test/support/llama-server.js'
import { capabilities as localCapabilities } from '../../provider-llamacpp/src/capabilities.js'
import { local, unavailable } from '../../provider-llamacpp/test/local-model.js'
import { type ActionMode, infer, parseAction, type RunEvent, type RunResult } from '../src/index.js'
import { shortTools, smallTools, type Task, tasks } from './small-model.js'

const options: CallOptions = { temperature: 0, maxTokens: 160, reasoning: 'none' }
const server = startLlamaServer()
afterAll(() => server?.stop())

/** What became of one task. */
interface Score {
  readonly task: Task
  readonly result: RunResult
  /** The right tool, with the right arguments, was the first that was executed. */
  readonly tool: boolean
  readonly args: boolean
  /** The answer has what only the result said. */
  readonly answer: boolean
  readonly parseErrors: number
}

/**
 * The server lets a model think before it holds it to a schema, and this one's thoughts may have no
 * end.
 */
const withoutThoughts: CallOptions = { vendor: { reasoning_format: 'none' } }
const optionsOf = (mode: ActionMode, provider: Provider): CallOptions =>
  mergeOptions(options, mode === 'json' && provider.name !== 'llamacpp' ? withoutThoughts : {})

async function solve(
  provider: Provider,
  capabilities: Capabilities,
  mode: ActionMode,
  task: Task,
  maxSteps: number,
): Promise<Score> {
  const events: RunEvent[] = []
  const result = await infer(provider, {
    query: task.prompt,
    tools: smallTools,
    mode,
    limits: { maxSteps, capabilities },
    options: optionsOf(mode, provider),
    observe: { onEvent: (event) => void events.push(event) },
  })
  const first = events.find((event) => event.type === 'tool-start')
  const tool = first?.tool === task.call.name
  return {
    task,
    result,
    tool,
    args: tool && JSON.stringify(first.args) === JSON.stringify(task.call.args),
    answer: result.status === 'final' && new RegExp(`\\b${task.answer}\\b`).test(result.text),
    parseErrors: events.filter(({ type }) => type === 'reply-rejected').length,
  }
}

/** Random numbers that are the same in each run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

async function solveAll(
  name: string,
  provider: Provider,
  capabilities: Capabilities,
  mode: ActionMode,
  maxSteps: number,
) {
  const scores: Score[] = []
  for (const task of tasks) scores.push(await solve(provider, capabilities, mode, task, maxSteps))
  const share = (key: 'tool' | 'args' | 'answer') => scores.filter((score) => score[key]).length
  const counts = {
    tool: share('tool'),
    args: share('args'),
    answer: share('answer'),
    parseErrors: scores.reduce((sum, { parseErrors }) => sum + parseErrors, 0),
    steps: scores.reduce((sum, { result }) => sum + result.steps, 0),
  }
  console.log(
    `${name}, mode ${mode}: right tool ${counts.tool}/20, right arguments ${counts.args}/20, answer from the result ${counts.answer}/20; ${counts.parseErrors} replies not understood in ${counts.steps} calls`,
  )
  return { ...counts, statuses: scores.map(({ result }) => result.status) }
}

describe.skipIf(!server)('a server that is asked with tools and nothing else', () => {
  const ask = async (url: string) => {
    const provider = createOpenAICompatible({ baseUrl: `${url}/v1`, model: 'tinytool' })
    const [task] = tasks as readonly [Task]
    const types: string[] = []
    const onEvent = ({ type }: RunEvent): void => void types.push(type)
    return {
      result: await infer(provider, {
        query: task.prompt,
        tools: smallTools,
        options,
        observe: { onEvent },
      }),
      types,
      task,
    }
  }

  test('a server that is asked with tools and nothing else calls natively, and the reply is text', async () => {
    const { result, types, task } = await ask(server?.url ?? '')
    expect(result.text).toMatch(new RegExp(`\\b${task.answer}\\b`))
    expect(types).not.toContain('mode-changed')
  })

  test('a server that is asked with tools and nothing else is asked for JSON if it was started without tools', async () => {
    const refusing = startLlamaServer(['--no-jinja'])
    const { result, types } = await ask(refusing?.url ?? '')
    refusing?.stop()
    expect(types.filter((type) => type === 'mode-changed')).toHaveLength(1)
    expect(types).toContain('action-requested')
    expect(result.details.warnings?.[0]).toContain('tools param requires --jinja flag')
    expect(result.status).not.toBe('failed')
  })
})

const places: readonly {
  name: string
  skipped: boolean
  create: () => Provider & { close?(): Promise<void> }
  capabilities: () => Capabilities
}[] = [
  {
    name: 'a model on a server',
    skipped: !server,
    create: () =>
      createOpenAICompatible({
        preset: presets['llamacpp-server'],
        model: 'tinytool',
        baseUrl: `${server?.url ?? ''}/v1`,
      }),
    capabilities: () => serverCapabilities({ preset: presets['llamacpp-server'] }),
  },
  {
    name: 'a model in this process',
    skipped: unavailable !== undefined,
    create: () => local(),
    capabilities: () => localCapabilities(),
  },
]

describe.each(places)('$name', ({ name, skipped, create, capabilities }) => {
  describe.skipIf(skipped)('calls the right tool and answers from its result', () => {
    const provider = skipped ? undefined : create()
    afterAll(() => provider?.close?.())

    // It was taught calls in the API's own form and as blocks: every task was solved when this was
    // written.
    test.each(['native', 'text'] as const)(
      'a small model calls the right tool and answers from its result in mode %s',
      async (mode) => {
        const { tool, args, answer } = await solveAll(
          name,
          provider as Provider,
          capabilities(),
          mode,
          3,
        )
        expect(tool).toBeGreaterThanOrEqual(18)
        expect(args).toBeGreaterThanOrEqual(18)
        expect(answer).toBeGreaterThanOrEqual(18)
      },
    )

    // It was never taught the objects of JSON mode, and 630,000 parameters follow no instruction:
    // it is asked for them all the same, and what it says wrong is never executed. Of 20 first
    // calls 7 (server) and 8 (process) were of the right tool when this was written, and no answer
    // was right.
    test('in mode json the replies of a small model are read or refused, and nothing fails', async () => {
      const { tool, statuses } = await solveAll(
        name,
        provider as Provider,
        capabilities(),
        'json',
        1,
      )
      expect(statuses).not.toContain('failed')
      expect(tool).toBeGreaterThanOrEqual(4)
    })

    test('held to a schema, any prompt gives an action that can be read', async () => {
      const random = seeded(20261121)
      const actions: string[] = []
      for (let index = 0; index < 15; index++) {
        const content = Array.from({ length: 1 + Math.floor(random() * 8) }, () =>
          String.fromCodePoint(
            ...Array.from(
              { length: 1 + Math.floor(random() * 6) },
              () => 97 + Math.floor(random() * 26),
            ),
          ),
        ).join(' ')
        const events: RunEvent[] = []
        await infer(provider as Provider, {
          query: content,
          tools: shortTools,
          outputSchema: {
            type: 'object',
            properties: { answer: { type: 'string', maxLength: 20 } },
            required: ['answer'],
            additionalProperties: false,
          },
          mode: 'json',
          limits: { maxSteps: 1, capabilities: capabilities() },
          options: {
            ...optionsOf('json', provider as Provider),
            temperature: 1,
            seed: index,
            maxTokens: 1000,
          },
          observe: { onEvent: (event) => void events.push(event) },
        })
        const response = events.find((event) => event.type === 'model-call-end')
        expect(response?.text, `seed ${index}`).not.toBe('')
        const { action, repairs } = parseAction(response?.text ?? '')
        expect(repairs.filter((repair) => repair !== 'content made text')).toEqual([])
        actions.push(action.type === 'tool_call' ? action.tool : action.type)
      }
      console.log(
        `${name}: 15 of 15 random prompts gave an action: ${[...new Set(actions)].toSorted().join(', ')}`,
      )
    })
  })
})
