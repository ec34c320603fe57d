import { type JsonObject, LlmError, type RequestOptions, type TokenUsage, toUsage, zeroCounts } from '@modelport/core'
import type { FormField, ResponseBytes } from '@modelport/driver'
import { namedError } from '@modelport/driver'
import { toCounts } from './usage.js'

/** A server's endpoints for images, audio and reranking, with the model that a capability uses. */
export interface MediaEndpoint {
  /** Name of the provider. */
  readonly name: string
  /** The model to ask for. */
  readonly model: string
  /** Posts a JSON body or a form to a path, and reads JSON. */
  json<T>(path: string, content: MediaContent, options: RequestOptions): Promise<T>
  /** Posts a JSON body to a path, and reads a file. */
  bytes(path: string, content: MediaContent, options: RequestOptions): Promise<ResponseBytes>
}

/** What is posted: fields of a JSON object, or of a form. */
export type MediaContent = { readonly body: JsonObject } | { readonly form: readonly FormField[] }

/** Vendor fields of the call as fields of a form; those that are `null` are left out. @throws {LlmError} `invalid-request` — a form cannot hold a value. */
export function toFormFields({ headers: _, ...vendor }: JsonObject = {}): FormField[] {
  const given = Object.entries(vendor).filter(([, value]) => value !== null && value !== undefined)
  return given.flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as readonly unknown[]) : [value]).map((one): FormField => {
      if (typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean') return [name, String(one)]
      throw new LlmError(
        'invalid-request',
        `vendor.${name} must be text, a number, true, false or a list of them: a form holds no objects`,
      )
    }),
  )
}

/** The form without the fields that vendor fields of the same name replace, and those. */
export const withVendorFields = (fields: readonly FormField[], vendor?: JsonObject): readonly FormField[] => [
  ...fields.filter(([name]) => !Object.hasOwn(vendor ?? {}, name)),
  ...toFormFields(vendor),
]

/** The usage of one request; nothing is reported if the server counts no tokens. */
export function toMediaUsage(usage: unknown): TokenUsage {
  const counts = toCounts(usage)
  return counts ? toUsage([{ ...zeroCounts, ...counts }]) : toUsage([{ ...zeroCounts }], 0, false)
}

/** @throws {LlmError} `invalid-request` — the text is empty. */
export function checkText(name: string, what: string, text: unknown): asserts text is string {
  if (typeof text !== 'string' || !text.trim())
    throw namedError(name, 'invalid-request', `${what} is empty; give it text`)
}

/** The error for an option that the API cannot express. */
export const unsupported = (name: string, why: string): LlmError => namedError(name, 'unsupported', why)
