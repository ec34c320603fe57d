// Runs the cells of the table of options.
import { type ChatMessage, isLlmError } from '@modelport/core'
import type { Api } from './apis.js'
import { question } from './door.js'
import type { OptionRow } from './option-rows.js'
import { type GridServer, gridKey } from './server.js'

/** What became of an option. */
export type OptionOutcome =
  /** The request says it, and the server replied. */
  | { readonly kind: 'sent'; readonly warning: string | undefined }
  /** The request is the same without it. */
  | { readonly kind: 'unsaid'; readonly warning: string | undefined }
  /** Refused before anything was sent. */
  | { readonly kind: 'refused'; readonly code: string; readonly why: string }
  /** The server does not take the request. */
  | { readonly kind: 'by-server'; readonly code: string; readonly why: string }
  | { readonly kind: 'broken'; readonly why: string }

const asked: readonly ChatMessage[] = [{ role: 'user', content: question }]

/** Calls `generate` with and without what a row is about. */
export async function runOption(
  server: GridServer,
  row: OptionRow,
  api: Api,
): Promise<OptionOutcome> {
  const { messages = asked, options = {}, without = {} } = row
  const plain = server.open(api, gridKey)
  const cell = server.open(api, gridKey)
  try {
    await api.create(plain.connection).generate(without.messages ?? asked, without.options ?? {})
    const provider = api.create(cell.connection)
    const { warnings } = await provider.generate(
      messages,
      typeof options === 'function' ? options(provider) : options,
    )
    const isSent =
      JSON.stringify(cell.requests[0]?.body) !== JSON.stringify(plain.requests[0]?.body)
    return { kind: isSent ? 'sent' : 'unsaid', warning: warnings && reasonOf(warnings.join('; ')) }
  } catch (error) {
    if (!isLlmError(error)) return { kind: 'broken', why: String(error) }
    // The server refuses it, or what is next to it.
    const kind = 'status' in error ? 'by-server' : 'refused'
    return { kind, code: error.code, why: reasonOf(error.message) }
  }
}

/** The message without the name of the provider, so that the same reason of several is one. */
const reasonOf = (message: string): string =>
  message
    .replace(/^[\w-]+: (?:\d{3} )?(?:[\w-]+: )?/, '')
    .replace(/in a request to [\w-]+/, "in this API's request")
    .replace(/\s+/g, ' ')
