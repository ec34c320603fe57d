import type { ChatQuirks, ChatVendor } from '@modelport/catalog'
import { type ChatDialect, defaultChatDialect } from '@modelport/chat-completions'
import type { CommonConfig } from '@modelport/driver'

/** Configuration of a server that speaks Chat Completions. */
export interface OpenAICompatibleConfig extends CommonConfig {
  /** Where the server is, for example `http://localhost:8080`. A path with a version (`/openai/v1`) is taken as it is, any other gets `/v1`. */
  readonly baseUrl: string
  /** Sent as a bearer token. Unset: no `authorization` header. */
  readonly apiKey?: string | undefined
  /** Name of the provider, in errors and `origin`. Default `openai-compatible`. */
  readonly name?: string | undefined
  /** What this server does differently from most. */
  readonly quirks?: Quirks | undefined
  /** The vendor of the catalog that the configuration stands for, for `capabilities`. */
  readonly preset?: ChatVendor | undefined
}

/** What a server does differently from most. */
export type Quirks = ChatQuirks

/** How the server is spoken to. */
export const toDialect = ({
  quirks,
  name = 'openai-compatible',
}: Pick<OpenAICompatibleConfig, 'quirks' | 'name'>): ChatDialect => ({
  ...defaultChatDialect,
  ...quirks,
  provider: name,
})
