import {
  type ErrorCode,
  isLlmError,
  type JsonObject,
  LlmError,
  ProviderError,
} from '@modelport/core'
import { messageOf } from '../base/message-of.js'
import type { RecordedError } from './journal-entry.js'

/** An error as plain JSON. */
export function toRecordedError(error: unknown): RecordedError {
  if (!isLlmError(error)) return { code: 'unknown', message: messageOf(error) }
  const fields = Object.entries(error).filter(([name]) => name !== 'code' && name !== 'cause')
  const details = JSON.parse(JSON.stringify(Object.fromEntries(fields))) as JsonObject
  return {
    code: error.code,
    message: error.message,
    ...(Object.keys(details).length && { details }),
  }
}

/** The error again. */
export function fromRecordedError({ code, message, details }: RecordedError): LlmError {
  const known = code as ErrorCode
  if (!details) return new LlmError(known, message)
  const { provider = '', ...rest } = details
  return new ProviderError(known, message, { provider: String(provider), ...rest })
}
