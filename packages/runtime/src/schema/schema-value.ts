import type { JsonObject } from '@modelport/core'

/**
 * The type of the values that a JSON Schema describes, as far as its literal type shows it; the
 * rest is `unknown`.
 */
export type SchemaValue<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly anyOf: readonly (infer One)[] }
      ? SchemaValue<One>
      : S extends { readonly type: infer Type }
        ? SchemaTypeValue<Type, S>
        : unknown

/** The arguments that a schema of an object, or a flat map of parameters, describes. */
export type SchemaObject<S> = string extends keyof S
  ? JsonObject
  : S extends { readonly type?: 'object'; readonly properties: infer Properties }
    ? SchemaFields<
        Properties,
        S extends { readonly required: readonly (infer Name)[] } ? Name : never
      >
    : S extends Readonly<Record<string, { readonly type: string }>>
      ? SchemaFields<S, never>
      : JsonObject

/** The values of one `type` of a JSON Schema, or of one short name of a flat map. */
export type SchemaTypeValue<Type, S> = string extends Type
  ? unknown
  : Type extends readonly (infer One)[]
    ? SchemaTypeValue<One, S>
    : Type extends keyof SchemaTypes
      ? SchemaTypes[Type]
      : Type extends 'array'
        ? (S extends { readonly items: infer Item } ? SchemaValue<Item> : unknown)[]
        : Type extends 'list'
          ? (S extends { readonly items: infer Item } ? SchemaValue<Item> : string)[]
          : Type extends 'object'
            ? SchemaObject<S>
            : unknown

/** Types that stand for one type of TypeScript; the short names are those of a flat map. */
export interface SchemaTypes {
  /** A text. */
  string: string
  /** Any number. */
  number: number
  /** A whole number. */
  integer: number
  /** True or false. */
  boolean: boolean
  /** Nothing. */
  null: null
  /** A text. */
  str: string
  /** A whole number. */
  int: number
  /** Any number. */
  float: number
  /** True or false. */
  bool: boolean
  /** Any JSON object. */
  dict: JsonObject
  /** Nothing. */
  None: null
}

/**
 * Properties that are named as required, or marked with `required: true`, are there; the others may
 * be.
 */
export type SchemaFields<Properties, Required> = {
  readonly [Name in keyof Properties as IsRequiredField<Name, Properties, Required> extends true
    ? Name
    : never]: SchemaValue<Properties[Name]>
} & {
  readonly [Name in keyof Properties as IsRequiredField<Name, Properties, Required> extends true
    ? never
    : Name]?: SchemaValue<Properties[Name]>
} extends infer Fields
  ? { readonly [Name in keyof Fields]: Fields[Name] }
  : never

/** True for a property that is named as required, or marked with `required: true`. */
export type IsRequiredField<
  Name extends keyof Properties,
  Properties,
  Required,
> = Name extends Required
  ? true
  : Properties[Name] extends { readonly required: true }
    ? true
    : false
