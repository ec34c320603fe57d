import type { ChatQuirks, ChatVendor } from '@modelport/catalog'
import { type ChatDialect, defaultChatDialect } from '@modelport/chat-completions'
import { namesOf } from '@modelport/core/settings'
import type { CommonConfig } from '@modelport/driver'

/** Configuration of a server that speaks Chat Completions. */
export interface OpenAICompatibleConfig extends CommonConfig {
  /**
   * Where the server is, for example `http://localhost:8080`. A path with a version (`/openai/v1`)
   * is taken as it is, any other gets `/v1`.
   */
  readonly baseUrl: string
  /** Sent as a bearer token. Unset: no `authorization` header. */
  readonly apiKey?: string | undefined
  /** Name of the provider, in errors and `origin`. Default `openai-compatible`. */
  readonly name?: string | undefined
  /** What this server does differently from most. */
  readonly quirks?: ChatQuirks | undefined
  /**
   * The vendor of the catalog that the configuration stands for, for `capabilities`, and for
   * whether it is a server of one's own. Unset: it is one, so that a call without `maxTokens` asks
   * for 4096.
   */
  readonly preset?: ChatVendor | undefined
}

/** Names of {@link OpenAICompatibleConfig} besides those of every provider. */
export const configNames: readonly string[] = namesOf<
  Omit<OpenAICompatibleConfig, keyof CommonConfig>
>({
  baseUrl: true,
  apiKey: true,
  name: true,
  quirks: true,
  preset: true,
})

/** Names within some of its fields. */
export const fieldNames: Readonly<Record<string, readonly string[]>> = {
  quirks: [
    ...namesOf<Omit<ChatQuirks, keyof typeof defaultChatDialect>>({
      apiPath: true,
      quotaRecovers: true,
      tokenizer: true,
    }),
    ...Object.keys(defaultChatDialect).filter((name) => name !== 'provider'),
    'requiredReasoningField',
  ],
}

/** True for a server that users run themselves, which one without a preset is taken for. */
export const isSelfHosted = (preset: ChatVendor | undefined): boolean =>
  preset === undefined || preset.selfHosted === true

/** How the server is spoken to. The application may change its object later, so this has a copy. */
export const toDialect = ({
  quirks,
  preset,
  name = 'openai-compatible',
}: Pick<OpenAICompatibleConfig, 'quirks' | 'name' | 'preset'>): ChatDialect => ({
  ...defaultChatDialect,
  // Servers of one's own hold a model to lengths; vendors have the strict form of OpenAI.
  strictLengths: isSelfHosted(preset),
  ...structuredClone(quirks),
  provider: name,
})
