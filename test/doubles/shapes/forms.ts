// Words for shapes that are written by hand.
type Schema = Readonly<Record<string, unknown>>

export const string = { type: 'string' }
export const number = { type: 'number' }
export const integer = { type: 'integer' }
export const boolean = { type: 'boolean' }
export const any = {}
export const map = { type: 'object' }
export const oneOf = (...values: readonly string[]): Schema => ({ type: 'string', enum: values })
export const list = (items: Schema, more: Schema = {}): Schema => ({
  type: 'array',
  items,
  ...more,
})
export const to = (name: string): Schema => ({ $ref: `#/definitions/${name}` })
/** An object with these fields and no other; those with a `!` at their end must be there. */
export const object = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name.replace('!', ''), schema]),
  ),
  required: Object.keys(properties).flatMap((name) =>
    name.endsWith('!') ? [name.slice(0, -1)] : [],
  ),
  additionalProperties: false,
})
