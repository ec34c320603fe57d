import { type CallOptions, type ChatMessage, type FinishReason, LlmError } from '@modelport/core'
import { compileJsonSchema } from '@modelport/runtime'
import { newProvider } from '@modelport/factory'
import { type ChatReply, ask } from '../session/ask.js'
import { TextView } from '../session/reply-views.js'
import type { Cli, CommonOptions } from '../context/cli.js'
import { loadModels } from '../models/configured-models.js'
import { exitCodes } from '../errors/exit-codes.js'
import { withProgress } from '../terminal/progress.js'
import { costOf, formatUsage } from '../terminal/usage-line.js'
import { type CallFlags, toCallOptions } from './call-options.js'
import { readPrompt } from './read-prompt.js'

/** Options of `modelport complete`. */
export interface CompleteOptions extends CommonOptions, CallFlags {
  readonly model?: string
  readonly baseUrl?: string
  readonly usage?: boolean
}

/** Runs `modelport complete`; resolves to the exit code. */
export async function complete(cli: Cli, words: readonly string[], options: CompleteOptions): Promise<number> {
  const { out, err, json, signal, context } = cli
  const model = (await loadModels(cli)).pick(options.model, options.baseUrl)
  const callOptions = await toCallOptions(options)
  const messages: ChatMessage[] = [{ role: 'user', content: await readPrompt(cli, words) }]
  const provider = await newProvider(model.config, context)
  if (json) {
    const { text, finishReason, usage, message } = await withProgress(err, 'waiting for the reply', () =>
      provider.generate(messages, callOptions, { signal }),
    )
    checkForm(callOptions, text, finishReason)
    const cost = costOf(usage, model.profile)
    out.json({ text, finishReason, model: message.origin?.model ?? provider.model, usage, ...(cost && { cost }) })
    return exitCodes.done
  }
  const view = new TextView({ out, err, reasoning: false, markdown: false })
  const reply = await ask({
    provider,
    messages,
    profile: model.profile,
    options: callOptions,
    signal,
    view,
  })
  signal.throwIfAborted()
  warnOfCut(cli, reply)
  if (options.usage) err.line(formatUsage(reply.usage, model.profile))
  checkForm(callOptions, reply.text, reply.finishReason)
  return exitCodes.done
}

/** Rejects a reply that was cut, or does not fit the schema that was asked for. */
function checkForm({ responseFormat }: CallOptions, text: string, finishReason: FinishReason | undefined): void {
  if (responseFormat?.type !== 'json-schema') return
  if (finishReason === 'length')
    throw new LlmError(
      'truncated',
      'the reply was cut at the token limit, so it does not fit the schema; raise --max-tokens',
    )
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new LlmError('protocol', 'the reply is not JSON, so it does not fit the schema; try another model')
  }
  const checked = compileJsonSchema(responseFormat.schema)(value)
  if (!checked.ok) throw new LlmError('protocol', `the reply does not fit the schema: ${checked.message}`)
}

/** Says what the text alone does not: that it was cut, or filtered. */
export function warnOfCut({ err }: Cli, { finishReason }: ChatReply): void {
  const notes: Partial<Record<FinishReason, string>> = {
    length: 'the reply was cut at the token limit',
    'content-filter': 'the model refused, or its reply was filtered',
  }
  const note = finishReason && notes[finishReason]
  if (note) err.line(err.style('yellow', `warning: ${note}`))
}
