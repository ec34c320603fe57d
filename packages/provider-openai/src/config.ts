import { namesOf } from '@modelport/core/settings'
import type { CommonConfig } from '@modelport/driver'
import type { ModelTraits } from './traits.js'

/** Azure OpenAI instead of OpenAI's own host. */
export interface AzureConfig {
  /** Address of the resource: `https://RESOURCE.openai.azure.com`. */
  readonly endpoint: string
  /**
   * Name of the deployment, for the deployment URLs
   * (`/openai/deployments/NAME/chat/completions?api-version=…`). Unset: the v1 API
   * (`/openai/v1/…`), where `model` names the deployment.
   */
  readonly deployment?: string | undefined
  /** For example `2025-04-01-preview`. Needed with `deployment`; without it sent only if set. */
  readonly apiVersion?: string | undefined
  /**
   * Gives an Entra token, asked for at each request; instead of `apiKey`. Its tokens are redacted
   * like a key.
   */
  readonly azureADTokenProvider?: (() => Promise<string>) | undefined
}

/** Where and as whom to call: everything but the model. */
export interface OpenAIConnection {
  /** Needed for OpenAI's own hosts, and for Azure without a token callback. */
  readonly apiKey?: string | undefined
  /** Root of the API. Default `https://api.openai.com/v1`. No environment variable changes it. */
  readonly baseUrl?: string | undefined
  /** Sent as `OpenAI-Organization`. Default: not sent. */
  readonly organization?: string | undefined
  /** Sent as `OpenAI-Project`. Default: not sent. */
  readonly project?: string | undefined
  /** Uses an Azure resource instead of OpenAI's own hosts. */
  readonly azure?: AzureConfig | undefined
}

/** Configuration of `createOpenAI`. */
export interface OpenAIConfig extends CommonConfig, OpenAIConnection {
  /**
   * Which of the two APIs. Default `responses` at OpenAI's own hosts and at Azure's v1 API, `chat`
   * (Chat Completions) elsewhere.
   */
  readonly api?: 'responses' | 'chat' | undefined
  /**
   * Corrects what is known of the model, for a newer one, another server's, or a deployment with a
   * name of its own. Default: by the model's name, from a dated table.
   */
  readonly traits?: Partial<ModelTraits> | undefined
  /** Allows the use in a page, where users can see the key. Default false. */
  readonly dangerouslyAllowBrowser?: boolean | undefined
}

/**
 * Names of {@link OpenAIConfig} besides those of every provider. Everything of this package takes
 * them, so that one configuration serves all.
 */
export const configNames: readonly string[] = namesOf<Omit<OpenAIConfig, keyof CommonConfig>>({
  apiKey: true,
  baseUrl: true,
  organization: true,
  project: true,
  azure: true,
  api: true,
  traits: true,
  dangerouslyAllowBrowser: true,
})

/** Names within some of its fields. */
export const fieldNames: Readonly<Record<string, readonly string[]>> = {
  azure: namesOf<AzureConfig>({
    endpoint: true,
    deployment: true,
    apiVersion: true,
    azureADTokenProvider: true,
  }),
  traits: namesOf<ModelTraits>({ reasoning: true, takesTemperature: true }),
}
