import { errorText } from '@modelport/core/text'
import type { LlamaModel } from 'node-llama-cpp'
import { ChatTemplate } from './chat-template.js'
import type { LlamaCppConfig } from './config.js'
import { toError } from './error.js'
import type { LlamaRuntime } from './llama-runtime.js'

/** A model in memory, with its chat template read. */
export interface LoadedModel {
  readonly runtime: LlamaRuntime
  readonly model: LlamaModel
  readonly template: ChatTemplate
}

/**
 * Reads a model's chat template.
 * @throws {LlmError} `config` — there is none, or it is malformed.
 */
export async function readTemplate(
  model: LlamaModel,
  { chatTemplate }: Pick<LlamaCppConfig, 'chatTemplate'>,
): Promise<ChatTemplate> {
  const source = chatTemplate ?? model.fileInfo.metadata.tokenizer.chat_template
  if (!source)
    throw toError(
      'config',
      'the file has no chat template; set chatTemplate to the Jinja template of its model',
      'no-template',
    )
  const { bosString, eosString } = model.tokens
  const { Template } = await import('@huggingface/jinja')
  try {
    const tokens = { bos_token: bosString ?? '', eos_token: eosString ?? '' }
    return new ChatTemplate(
      new Template(source),
      source,
      tokens,
      (mark) => model.tokenize(mark, true).length === 1,
    )
  } catch (cause) {
    const why = errorText(cause)
    throw toError('config', `the chat template is malformed: ${why}`, 'bad-template', cause)
  }
}
