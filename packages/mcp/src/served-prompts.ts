import {
  type GetPromptRequest,
  type GetPromptResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import type { ChatMessage } from '@modelport/core'
import { checkLength } from './limits.js'
import type { McpCaller } from './served-caller.js'
import { toBlocks } from './served-content.js'

/** A prompt that clients offer to their users. */
export interface ServedPrompt {
  /** Names it. */
  readonly name: string
  /** What it is for; people read it. */
  readonly description?: string | undefined
  /** The arguments it takes, all texts. Default: none. */
  readonly arguments?: readonly {
    readonly name: string
    readonly description?: string | undefined
    /** Default false. */
    readonly required?: boolean | undefined
  }[]
  /** Fills it in: the text of a user message, or messages of the roles `user` and `assistant`. */
  fill(
    args: Readonly<Record<string, string>>,
    caller: McpCaller,
  ): string | readonly ChatMessage[] | Promise<string | readonly ChatMessage[]>
}

/** A prompt of `definePrompt` of `@modelport/dialog`. Its placeholders are its arguments. */
export interface TemplatePrompt {
  /** Unset: the path names it. */
  readonly name?: undefined
  /** Names it. */
  readonly path: string
  /** The names of its arguments. */
  readonly placeholders: readonly string[]
  /** Fills the placeholders. */
  fill(args: unknown): {
    /** The text of the user message. */
    readonly text: string
  }
}

/** Either form as the first one. */
export const toServedPrompt = (prompt: ServedPrompt | TemplatePrompt): ServedPrompt =>
  prompt.name !== undefined
    ? prompt
    : {
        name: prompt.path,
        arguments: prompt.placeholders.map((name) => ({ name, required: true })),
        fill: (args) => prompt.fill(args).text,
      }

/** A prompt as it is listed. */
export const toListedPrompt = ({
  name,
  description,
  arguments: args = [],
}: ServedPrompt): Prompt => ({
  name,
  ...(description !== undefined && { description }),
  ...(args.length && { arguments: args.map((argument) => ({ ...argument })) }),
})

/**
 * @throws {ProtocolError} invalid params — there is no such prompt, or its arguments are not those
 * that it takes.
 */
export async function getPrompt(
  prompts: readonly ServedPrompt[],
  { name, arguments: args = {} }: GetPromptRequest['params'],
  caller: McpCaller,
): Promise<GetPromptResult> {
  const prompt = prompts.find((each) => each.name === name)
  if (!prompt) throw invalid(`Unknown prompt: ${name.slice(0, 100)}`)
  const known = prompt.arguments ?? []
  const missing = known.filter(
    (argument) => argument.required && !Object.hasOwn(args, argument.name),
  )
  if (missing.length)
    throw invalid(`Missing arguments: ${missing.map((argument) => argument.name).join(', ')}`)
  const strange = Object.keys(args).filter(
    (key) => !known.some((argument) => argument.name === key),
  )
  if (strange.length) throw invalid(`Unknown arguments: ${strange.join(', ').slice(0, 200)}`)
  const filled = await prompt.fill(args, caller)
  const messages: readonly ChatMessage[] =
    typeof filled === 'string' ? [{ role: 'user', content: filled }] : filled
  const parts = messages.flatMap(({ role, content }) => {
    if (role !== 'user' && role !== 'assistant')
      throw new Error(
        `prompt "${name}": a message has the role ${role}; prompts have the roles user and assistant`,
      )
    return toBlocks(content).map((block) => ({ role, content: block }))
  })
  checkLength(parts, undefined, `prompt "${name}"`, {})
  return {
    ...(prompt.description !== undefined && { description: prompt.description }),
    messages: parts,
  }
}

const invalid = (message: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message)
