import { type FinishReason, isLlmError, type TokenLogprob } from '@modelport/core'
import type { NeutralRecord, NeutralSource } from '@modelport/driver'
import type {
  LlamaContextSequence,
  LlamaGrammar,
  SequenceEvaluateOptions,
  Token,
} from 'node-llama-cpp'
import { toGrammar } from './call-grammar.js'
import { toError, toEvaluationError } from './error.js'
import type { LoadedModel } from './loaded-model.js'
import { type Prompt, toPrompt } from './prompt.js'
import { ReplyParser } from './reply-parser.js'
import type { LlamaRequest } from './request.js'
import type { SequencePool } from './sequence-pool.js'
import { TokenText } from './token-text.js'

/** A reply that is about to be made. */
interface Job {
  readonly loaded: LoadedModel
  readonly pool: SequencePool
  readonly request: LlamaRequest
  readonly prompt: Prompt
  readonly grammar: LlamaGrammar | undefined
  readonly signal: AbortSignal
}

/**
 * The records of a reply, made one token at a time as they are asked for. Cancelling, or aborting
 * the signal, ends it after the token or the batch of the prompt that is being evaluated, and frees
 * its place.
 * @throws {LlmError} `context-length` — the prompt leaves no room for a reply; `unsupported` — see
 * {@link toRequest}.
 */
export async function startReply(
  loaded: LoadedModel,
  pool: SequencePool,
  request: LlamaRequest,
  signal: AbortSignal,
): Promise<NeutralSource> {
  const { model, template } = loaded
  if (request.tools.length && !template.calls) {
    throw toError(
      'unsupported',
      'tools: the chat template of this model shows none, or calls them in a form that is not known; set chatTemplate, or ask for JSON with responseFormat',
    )
  }
  const prompt = toPrompt(model, template, request)
  if (prompt.tokens.length >= pool.contextSize) {
    throw toError(
      'context-length',
      `the prompt has ${prompt.tokens.length} tokens, the context ${pool.contextSize} for prompt and reply; shorten the conversation or raise contextSize (the model was trained for ${model.trainContextSize})`,
    )
  }
  const grammar = await parseGrammar(
    loaded,
    toGrammar(request, template.calls, prompt.startsThinking),
  )
  const records = reply({ loaded, pool, request, prompt, grammar, signal })
  return {
    next: async () => (await records.next()).value ?? undefined,
    cancel: () => {
      records.return(undefined).catch(() => undefined)
    },
  }
}

async function parseGrammar(
  { runtime }: LoadedModel,
  grammar: string | undefined,
): Promise<LlamaGrammar | undefined> {
  if (grammar === undefined) return undefined
  try {
    return await runtime.llama.createGrammar({ grammar })
  } catch (cause) {
    throw toError(
      'unsupported',
      'the schema makes a grammar that llama.cpp refuses: it is too large (take out bounds of lengths), or a $ref leads back to itself with nothing in between',
      'grammar',
      cause,
    )
  }
}

async function* reply(job: Job): AsyncGenerator<NeutralRecord, undefined, undefined> {
  const { loaded, pool, prompt, signal } = job
  const sequence = await pool.acquire(prompt.tokens, signal)
  let end: NeutralRecord
  try {
    const reused = await fill(sequence, job)
    end = yield* generate(sequence, reused, job)
  } catch (cause) {
    // What is typed, or the caller's own wish, is not llama.cpp's.
    throw isLlmError(cause) || signal.aborted
      ? cause
      : toEvaluationError(cause, await loaded.runtime.takeLog())
  } finally {
    pool.release(sequence)
  }
  // Nothing is asked for after it: the place must be free by then.
  yield end
  return undefined
}

/** Evaluates the prompt but its last batch, and returns how many tokens were there already. */
async function fill(
  sequence: LlamaContextSequence,
  { pool, prompt: { tokens }, signal }: Job,
): Promise<number> {
  // The last token is always evaluated: what it predicts is the reply.
  await sequence.adaptStateToTokens(tokens.slice(0, -1), false)
  const reused = sequence.nextTokenIndex
  while (tokens.length - sequence.nextTokenIndex > pool.batchSize) {
    signal.throwIfAborted()
    const start = sequence.nextTokenIndex
    await sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(start, start + pool.batchSize))
  }
  signal.throwIfAborted()
  return reused
}

async function* generate(
  sequence: LlamaContextSequence,
  reused: number,
  job: Job,
): AsyncGenerator<NeutralRecord, NeutralRecord, undefined> {
  const {
    loaded: { model, template },
    pool,
    request,
    prompt,
    signal,
  } = job
  const calls = request.tools.length ? template.calls : undefined
  const { thinking } = template
  const parser = new ReplyParser({
    thinking,
    startsThinking: prompt.startsThinking,
    calls,
    stop: request.stop,
  })
  const marks = [thinking?.open, thinking?.close, calls?.open, calls?.close].filter(
    (mark) => mark !== undefined,
  )
  const text = new TokenText(model, marks)
  const room = pool.contextSize - prompt.tokens.length
  const most = Math.min(request.maxTokens, room)
  let outputTokens = 0
  let reasoningTokens = 0
  let end: readonly [FinishReason, string] = ['stop', 'end-of-generation']
  const options = sampling(job, parser)
  for await (const result of sequence.evaluateWithMetadata(
    prompt.tokens.slice(sequence.nextTokenIndex),
    { probabilities: request.topLogprobs !== undefined },
    options,
  )) {
    outputTokens++
    if (parser.mode === 'thinking') reasoningTokens++
    const { token } = result
    yield* parser.push(
      text.push(token),
      toLogprob(
        job,
        token,
        (result as { readonly probabilities?: Map<Token, number> }).probabilities,
      ),
    )
    signal.throwIfAborted()
    if (parser.mode === 'stopped') end = ['stop', 'stop-text']
    else if (parser.calls > 0 && !request.parallelToolCalls) end = ['stop', 'tool-call']
    else if (outputTokens >= most) end = ['length', most === room ? 'context-size' : 'max-tokens']
    else continue
    break
  }
  yield* parser.push(text.end())
  yield* parser.end()
  const usage = {
    inputTokens: prompt.tokens.length,
    outputTokens,
    cacheReadTokens: reused,
    reasoningTokens,
  }
  return { type: 'end', finish: end[0], raw: end[1], usage }
}

function sampling(
  { loaded: { model, runtime }, request, grammar }: Job,
  parser: ReplyParser,
): SequenceEvaluateOptions {
  const options: SequenceEvaluateOptions = request.sampling
  if (grammar === undefined) return options
  const state = new runtime.module.LlamaGrammarEvaluationState({ model, grammar })
  return {
    ...options,
    grammarEvaluationState: () => (parser.mode === 'thinking' ? undefined : state),
  }
}

function toLogprob(
  { loaded: { model }, request: { topLogprobs } }: Job,
  token: Token,
  all: Map<Token, number> | undefined,
): TokenLogprob | undefined {
  if (topLogprobs === undefined || !all) return undefined
  const entry = ([one, probability]: readonly [Token, number]): TokenLogprob => ({
    token: model.detokenize([one], true),
    logprob: Math.log(probability),
  })
  const likeliest = [...all].sort((a, b) => b[1] - a[1]).slice(0, topLogprobs)
  return {
    ...entry([token, all.get(token) ?? 0]),
    ...(topLogprobs > 0 && { top: likeliest.map(entry) }),
  }
}
