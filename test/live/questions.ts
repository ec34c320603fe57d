import {
  isLlmError,
  type JsonObject,
  type Provider,
  type ToolDefinition,
  toImagePart,
} from '@modelport/core'
import { type FactoryContext, type ModelConfig, newProvider } from '@modelport/factory'
import { BudgetLedger, type RunBudget, withBudget } from '@modelport/runtime'

/** What came of one question. */
export interface Answered {
  readonly question: string
  readonly status: 'ok' | 'failed' | 'skipped'
  readonly detail: string
  readonly ms: number
}

type Question = (ask: {
  readonly provider: Provider
  readonly other: (change: Partial<ModelConfig>) => Promise<Provider>
}) => Promise<string>

const once = { retry: { attempts: 1 }, deadlineMs: 60_000 } as const
/**
 * Enough for a model that thinks first; a cent buys it many times from the cheapest model of any
 * vendor.
 */
const brief = { ...once, maxTokens: 512 } as const
const user = (content: string) => [{ role: 'user' as const, content }]
/** A red square of 16 by 16 pixels. */
const red =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mP4z8BAEmIY1TCqYfhqAACQ+f8B8u7oVwAAAABJRU5ErkJggg=='
const add: ToolDefinition = {
  name: 'add_numbers',
  description: 'Adds two numbers',
  parameters: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
}
const schema: JsonObject = {
  type: 'object',
  properties: { ok: { type: 'boolean' } },
  required: ['ok'],
  additionalProperties: false,
}

function expectThat(holds: boolean, what: string): void {
  if (!holds) throw new Error(what)
}

/** The code that a call fails with. */
async function codeOf(run: () => Promise<unknown>, expected: readonly string[]): Promise<string> {
  try {
    await run()
  } catch (error) {
    const code = isLlmError(error) ? error.code : String(error)
    expectThat(
      expected.includes(code),
      `failed with ${code}, expected one of ${expected.join(', ')}`,
    )
    return code
  }
  throw new Error(`succeeded, expected one of ${expected.join(', ')}`)
}

/** The twelve questions that every vendor is asked. */
export const questions: Readonly<Record<string, Question>> = {
  text: async ({ provider }) => {
    const text = await provider.complete('Reply with the single word OK.', brief)
    expectThat(text.trim() !== '', 'the reply is empty')
    return text.trim().slice(0, 20)
  },
  stream: async ({ provider }) => {
    const reader = await provider.stream('Count from 1 to 5.', brief)
    let deltas = 0
    for await (const _ of reader) deltas++
    expectThat(
      deltas > 0 && reader.finishReason() === 'stop',
      `${deltas} deltas, ended by ${String(reader.finishReason())}`,
    )
    return `${deltas} deltas, ${reader.usage().outputTokens} tokens`
  },
  'tools over two turns': async ({ provider }) => {
    const reader = await provider.streamWithTools(
      user('Use add_numbers to add 2 and 3, then say the sum.'),
      [add],
      brief,
    )
    let calls = 0
    let turn: string[] = []
    for await (const event of reader) {
      if (event.type === 'tool-call-complete') turn.push(event.toolCall.id)
      if (event.type !== 'turn-end' || !turn.length) continue
      calls += turn.length
      await reader.sendToolResults(turn.map((callId) => ({ callId, content: '5' })))
      turn = []
    }
    expectThat(calls > 0, 'no tool was called')
    expectThat(reader.fullText().includes('5'), 'the last turn does not say the sum')
    return `${calls} calls`
  },
  image: async ({ provider }) => {
    const content = [
      { type: 'text' as const, text: 'Which colour is this? One word.' },
      toImagePart(`data:image/png;base64,${red}`),
    ]
    const { text } = await provider.generate([{ role: 'user', content }], brief)
    expectThat(/red/i.test(text), `the reply is ${JSON.stringify(text.slice(0, 40))}`)
    return 'red'
  },
  'JSON schema': async ({ provider }) => {
    const { text } = await provider.generate(user('Answer with the JSON object {"ok": true}.'), {
      ...brief,
      responseFormat: { type: 'json-schema', name: 'health', schema },
    })
    expectThat((JSON.parse(text) as { ok?: unknown } | null)?.ok === true, 'the reply does not fit')
    return 'fits'
  },
  reasoning: async ({ provider }) => {
    const { text, usage } = await provider.generate(user('What is 17 times 3? Only the number.'), {
      ...brief,
      maxTokens: 1024,
      reasoning: 'low',
    })
    expectThat(text.includes('51'), `the reply is ${JSON.stringify(text.slice(0, 40))}`)
    return `${usage.reasoningTokens} reasoning tokens`
  },
  abort: async ({ provider }) => {
    const controller = new AbortController()
    const reader = await provider.stream('Count from 1 to 100.', {
      ...brief,
      signal: controller.signal,
    })
    await reader.next()
    controller.abort(new Error('stopped by the test'))
    const failure = await reader
      .next()
      .then(
        async ({ done }) =>
          done
            ? 'it ended before the abort'
            : await reader.next().then(() => 'reads still resolve', String),
        String,
      )
    expectThat(failure.includes('stopped by the test') || failure.includes('ended before'), failure)
    return failure.slice(0, 30)
  },
  'bad key': async ({ other }) => {
    const provider = await other({ apiKey: 'modelport-wrong-key-0123456789' })
    return codeOf(() => provider.complete('Hi', brief), ['auth', 'permission'])
  },
  'unknown model': async ({ other }) => {
    const provider = await other({ model: 'modelport-no-such-model' })
    return codeOf(
      () => provider.complete('Hi', brief),
      ['not-found', 'invalid-request', 'permission'],
    )
  },
  'a reply that is cut': async ({ provider }) => {
    const { finishReason, usage } = await provider.generate(user('Count from 1 to 100.'), {
      ...once,
      maxTokens: 16,
    })
    expectThat(finishReason === 'length', `it ended by ${finishReason}`)
    return `${usage.outputTokens} tokens out`
  },
  'history of another vendor': async ({ provider }) => {
    const call = {
      id: 'toolu_01AbCdEfGhIjKlMnOpQrStUv',
      name: add.name,
      arguments: { a: 2, b: 3 },
      argumentsText: '{"a":2,"b":3}',
    }
    const { text } = await provider.generate(
      [
        { role: 'user', content: 'Use add_numbers to add 2 and 3, then say the sum.' },
        { role: 'assistant', content: 'I add them.', toolCalls: [call] },
        { role: 'tool', toolCallId: call.id, content: '5' },
      ],
      { ...brief, tools: [add] },
    )
    expectThat(text.includes('5'), `the reply is ${JSON.stringify(text.slice(0, 40))}`)
    return 'continued'
  },
  'long prompt': async ({ provider }) => {
    const { text, usage } = await provider.generate(
      user(`${'lorem ipsum '.repeat(1500)}\nReply with the single word OK.`),
      brief,
    )
    expectThat(text.trim() !== '', 'the reply is empty')
    return `${usage.inputTokens} tokens in`
  },
}

/** A cent for all questions of a vendor; without prices, calls and tokens as they would take. */
const limitsOf = (hasPrices: boolean): RunBudget => ({
  maxCalls: 20,
  maxInputTokens: 20_000,
  maxOutputTokens: 8_000,
  ...(hasPrices && { maxCost: 0.01 }),
})

/** What a vendor's model made of the questions. */
export interface Report {
  readonly answers: readonly Answered[]
  /** In US dollars, as our own budget counted it. Unset: nobody knows the prices. */
  readonly cost?: number
}

/**
 * Asks a model the twelve questions, one after the other, under a budget of a cent. What the vendor
 * or the model cannot do is skipped, with the reason.
 */
export async function askAll(config: ModelConfig, context?: FactoryContext): Promise<Report> {
  const hasPrices = config.profile?.prices !== undefined
  const ledger = new BudgetLedger(limitsOf(hasPrices))
  const profile = config.profile
  const other = async (change: Partial<ModelConfig>): Promise<Provider> =>
    withBudget(await newProvider({ ...config, ...change }, context), ledger, { profile })

  const provider = await other({})
  const answers: Answered[] = []
  for (const [question, ask] of Object.entries(questions)) {
    const startedAt = performance.now()
    const [status, detail] = await ask({ provider, other }).then(
      (said) => ['ok', said] as const,
      (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error)
        return [
          isLlmError(error, 'unsupported') ? 'skipped' : 'failed',
          message.split('\n', 1)[0] ?? '',
        ] as const
      },
    )
    answers.push({
      question,
      status,
      detail: detail.slice(0, 100),
      ms: Math.round(performance.now() - startedAt),
    })
  }
  return { answers, ...(hasPrices && { cost: ledger.spent.cost }) }
}
