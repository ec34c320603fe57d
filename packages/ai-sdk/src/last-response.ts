import type { ResponseNotice, RetryOptions } from '@modelport/core'

/** The latest response to a call, of which the AI SDK reports the headers. */
export class LastResponse {
  #headers: Record<string, string> | undefined

  /** Its headers by name, in lower case. Unset before it, and for a model without HTTP. */
  get headers(): Record<string, string> | undefined {
    return this.#headers
  }

  /** What the result of a call says of the response. */
  get fields(): { readonly response?: { readonly headers: Record<string, string> } } {
    return this.#headers ? { response: { headers: this.#headers } } : {}
  }

  /** Observes the responses of a call with these options, next to the application. */
  observe({ onResponse, ...retry }: RetryOptions): RetryOptions {
    return {
      ...retry,
      onResponse: (response: ResponseNotice) => {
        this.#headers = Object.fromEntries(response.headers)
        return onResponse?.(response)
      },
    }
  }
}
