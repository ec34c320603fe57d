import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'

// Its defaults look up inherited properties, and divide as doubles do.
const options = {
  strict: false,
  validateFormats: false,
  ownProperties: true,
  multipleOfPrecision: 9,
} as const
const validators = { draft7: new Ajv(options), 'draft2020-12': new Ajv2020(options) }

/** A second validator of JSON Schema, which shares no code with ours. */
export const ajvOf = (
  draft: keyof typeof validators,
  schema: object,
): ((value: unknown) => boolean) => validators[draft].compile(schema)
