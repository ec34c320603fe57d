import { LlmError } from '@modelport/core'
import { type Fetch, type NeutralRecord, toErrorCode } from '@modelport/driver'
import type { SequenceEvaluateOptions, Token } from 'node-llama-cpp'

/** What a scripted model sends to its script before it answers. */
export interface ScriptedQuestion {
  readonly prompt: string
  readonly temperature?: number
}

/** Where the model of each file gets its script. */
export const scripts = new Map<string, Fetch>()

/** A control token without text: the model computes and says nothing. */
const silence = 0x200000 as Token
const toTokens = (text: string): Token[] =>
  Array.from(text, (character) => character.codePointAt(0) as Token)
const toText = (tokens: readonly Token[]): string =>
  tokens.map((token) => (token === silence ? '<silence>' : String.fromCodePoint(token))).join('')

/**
 * A model whose tokens are characters and whose answers are scripted, in the place of
 * node-llama-cpp's.
 */
class ScriptedModel {
  readonly llama = { cpuMathCores: 1 }
  readonly trainContextSize = 100_000
  readonly fileInfo = { metadata: { tokenizer: {} } }
  readonly tokens = { bos: null, bosString: null, eosString: null, shouldPrependBosToken: false }
  readonly #script: Fetch

  constructor(script: Fetch) {
    this.#script = script
  }

  tokenize(text: string): Token[] {
    return toTokens(text)
  }

  detokenize(tokens: readonly Token[]): string {
    return toText(tokens)
  }

  isSpecialToken(token: Token): boolean {
    return token === silence
  }

  createContext({
    contextSize,
    sequences,
  }: {
    readonly contextSize: number
    readonly sequences: number
  }): Promise<object> {
    const getSequence = (): ScriptedSequence => new ScriptedSequence(this.#script, contextSize)
    return Promise.resolve({
      contextSize,
      batchSize: 512,
      totalSequences: sequences,
      getSequence,
      dispose: () => Promise.resolve(),
    })
  }

  dispose(): Promise<void> {
    return Promise.resolve()
  }
}

/** A place of a context: makes tokens of the script's records. */
class ScriptedSequence {
  readonly contextSize: number
  readonly #script: Fetch
  #tokens: Token[] = []

  constructor(script: Fetch, contextSize: number) {
    this.#script = script
    this.contextSize = contextSize
  }

  get nextTokenIndex(): number {
    return this.#tokens.length
  }

  compareContextTokens(): { readonly firstDifferentIndex: number } {
    return { firstDifferentIndex: 0 }
  }

  /** Keeps nothing: the same question has the same counts each time. */
  adaptStateToTokens(): Promise<void> {
    this.#tokens = []
    return Promise.resolve()
  }

  evaluateWithoutGeneratingNewTokens(tokens: readonly Token[]): Promise<void> {
    this.#tokens.push(...tokens)
    return Promise.resolve()
  }

  /**
   * Like a real one it cannot be stopped within a token: while the script says nothing, it makes
   * tokens without text.
   */
  async *evaluateWithMetadata(
    tokens: readonly Token[],
    _: object,
    { temperature }: SequenceEvaluateOptions,
  ): AsyncGenerator<{ readonly token: Token }, void> {
    this.#tokens.push(...tokens)
    const controller = new AbortController()
    const question: ScriptedQuestion = {
      prompt: toText(this.#tokens),
      ...(temperature !== undefined && { temperature }),
    }
    const records = ask(this.#script, question, controller.signal)
    const writer = new Writer()
    try {
      for (let over = false; !over; ) {
        const step = records.next()
        const settled = step.then(
          () => true,
          () => true,
        )
        while (!(await Promise.race([settled, oneMillisecond()]))) yield { token: silence }
        const { value: record } = await step
        for (const token of toTokens(writer.write(record))) {
          this.#tokens.push(token)
          yield { token }
        }
        while (record?.type === 'end' && record.finish === 'length') yield { token: silence }
        over = !record || record.type === 'end'
      }
    } finally {
      controller.abort()
    }
  }
}

const oneMillisecond = (): Promise<false> => new Promise((resolve) => setTimeout(resolve, 1, false))

/** Writes records as a model of the Hermes kind does. */
class Writer {
  #thinks = false

  write(record: NeutralRecord | undefined): string {
    if (record?.type === 'reasoning') {
      const open = this.#thinks ? '' : '<think>'
      this.#thinks = true
      return open + record.text
    }
    const close = this.#thinks ? '</think>' : ''
    this.#thinks = false
    if (record?.type === 'text') return close + record.text
    if (record?.type === 'call')
      return `${close}<tool_call>\n{"name": ${JSON.stringify(record.name)}, "arguments": ${record.arguments ?? '{}'}}\n</tool_call>`
    if (record?.type === 'error') throw new LlmError(record.code, record.message)
    if (!record) throw new LlmError('unknown', 'the evaluation failed')
    return close
  }
}

async function* ask(
  script: Fetch,
  question: ScriptedQuestion,
  signal: AbortSignal,
): AsyncGenerator<NeutralRecord, undefined> {
  const response = await script('http://in-process.invalid/neutral', {
    method: 'POST',
    body: JSON.stringify(question),
    signal,
  }).catch((cause: unknown) => {
    // As the native part fails.
    if (/eval/i.test(String(cause))) throw cause
    throw new LlmError('network', 'the script does not answer', { cause })
  })
  if (!response.ok) throw new LlmError(toErrorCode(response.status), await response.text())
  const decoder = new TextDecoder()
  for await (const bytes of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    for (const line of decoder.decode(bytes).split('\n').filter(Boolean))
      yield JSON.parse(line) as NeutralRecord
  }
  return undefined
}

/** node-llama-cpp, as far as the provider uses it. */
export const scriptedLlama = {
  LlamaLogLevel: { error: 'error' },
  getLlama: () =>
    Promise.resolve({
      loadModel: ({ modelPath }: { readonly modelPath: string }) =>
        Promise.resolve(new ScriptedModel(scripts.get(modelPath) as Fetch)),
    }),
}
