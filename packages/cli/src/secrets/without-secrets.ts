import { createRedact } from '@modelport/driver'

/** A text of JSON without these texts, in whatever form. Those of fewer than eight characters could be any word, and stay. */
export const withoutSecrets = (json: string, secrets: readonly string[]): string =>
  createRedact(secrets.filter(({ length }) => length >= 8))(json)
