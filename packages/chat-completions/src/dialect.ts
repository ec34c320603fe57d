import type { ContentPart, JsonObject, OptionValues } from '@modelport/core'
import type { ToolCallIdRule } from '@modelport/driver'
import type { CountedSeparately } from './usage.js'

/**
 * How one server speaks Chat Completions, as data: what a vendor's row changes of
 * {@link defaultChatDialect}.
 */
export interface ChatDialect {
  /**
   * Name of the provider: opaque state of a message is sent back only to the one that wrote it.
   * Default '': to nobody.
   */
  readonly provider: string
  /** Where the limit of generated tokens goes. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** False for servers that refuse `stream_options`: most of those report usage unasked. */
  readonly streamUsage: boolean
  /** The role that instructions are sent with. */
  readonly systemRole: 'system' | 'developer'
  /**
   * False for a server to which the default temperature is not sent: for
   * `Driver.takesTemperature`.
   */
  readonly takesTemperature: boolean
  /** Which ids of foreign tool calls the server accepts; its own go back as they came. */
  readonly toolCallIds: ToolCallIdRule
  /** The fields each level adds to the request. A level that is missing is refused. */
  readonly reasoning: Readonly<Partial<Record<NonNullable<OptionValues['reasoning']>, JsonObject>>>
  /** Which messages get their own visible reasoning back, in the field it came in. */
  readonly replayReasoning: 'never' | 'with-tool-calls' | 'always'
  /**
   * A field that every message with tool calls must have, '' where there was no reasoning. Unset:
   * none.
   */
  readonly requiredReasoningField?: string
  /** Kinds of parts that a user message may have. */
  readonly inputs: readonly ContentPart['type'][]
  /** True where a tool result may hold images. */
  readonly toolResultImages: boolean
  /** True where a file may be given by its address. */
  readonly fileUrls: boolean
  /** True where a part may have a mark of the cache, `cache_control`. */
  readonly cacheMarks: boolean
  /** Formats of a reply that the server accepts besides text. */
  readonly responseFormats: readonly ('json' | 'json-schema')[]
  /**
   * What `tool_choice` may be; `named` forces one tool. Where `none` is missing, no tools are sent
   * instead.
   */
  readonly toolChoices: readonly ('auto' | 'none' | 'required' | 'named')[]
  /** False where a message may not have a `name`. */
  readonly messageNames: boolean
  /**
   * True where no user message may come right after tool results, as it does when a run was
   * stopped: a reply is put between them.
   */
  readonly replyAfterResults: boolean
  /**
   * Options that this server has no field for: setting one is refused. With `tools`, so are calls
   * and results in the conversation.
   */
  readonly lacks: readonly (keyof OptionValues)[]
  /**
   * Token counts that this server reports next to the sum they belong to, not inside it. Default:
   * only what its total confirms.
   */
  readonly countedSeparately: readonly CountedSeparately[]
  /**
   * True for a server whose streams may lack a finish reason, as those of some hosts behind a
   * router do: there `[DONE]` also ends a reply whose token counts have come.
   */
  readonly finishReasonOptional: boolean
  /**
   * False for a server whose strict schemas have no lengths of texts: they are said in the
   * description of their place.
   */
  readonly strictLengths: boolean
  /** Other names of request fields, for example `{ seed: 'random_seed' }`. */
  readonly rename: Readonly<Record<string, string>>
}

const effort = (level: string): JsonObject => ({ reasoning_effort: level })

/** The dialect as most servers take it. */
export const defaultChatDialect: ChatDialect = Object.freeze<ChatDialect>({
  provider: '',
  maxTokensField: 'max_tokens',
  streamUsage: true,
  systemRole: 'system',
  takesTemperature: true,
  toolCallIds: { maxLength: 64 },
  reasoning: {
    none: effort('none'),
    low: effort('low'),
    medium: effort('medium'),
    high: effort('high'),
  },
  replayReasoning: 'with-tool-calls',
  inputs: ['text', 'image', 'audio', 'file'],
  toolResultImages: false,
  fileUrls: false,
  cacheMarks: false,
  responseFormats: ['json', 'json-schema'],
  toolChoices: ['auto', 'none', 'required', 'named'],
  messageNames: true,
  replyAfterResults: false,
  lacks: [],
  countedSeparately: [],
  finishReasonOptional: false,
  strictLengths: true,
  rename: {},
})
