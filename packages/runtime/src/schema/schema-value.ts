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
        ? ValueOf<Type, S>
        : unknown

/** The arguments that a schema of an object, or a flat map of parameters, describes. */
export type ObjectOf<S> = string extends keyof S
  ? JsonObject
  : S extends { readonly type?: 'object'; readonly properties: infer Properties }
    ? Fields<Properties, S extends { readonly required: readonly (infer Name)[] } ? Name : never>
    : S extends Readonly<Record<string, { readonly type: string }>>
      ? Fields<S, never>
      : JsonObject

type ValueOf<Type, S> = string extends Type
  ? unknown
  : Type extends readonly (infer One)[]
    ? ValueOf<One, S>
    : Type extends keyof Named
      ? Named[Type]
      : Type extends 'array'
        ? (S extends { readonly items: infer Item } ? SchemaValue<Item> : unknown)[]
        : Type extends 'list'
          ? (S extends { readonly items: infer Item } ? SchemaValue<Item> : string)[]
          : Type extends 'object'
            ? ObjectOf<S>
            : unknown

/** Types that stand for one type of TypeScript; the short names are those of a flat map. */
interface Named {
  string: string
  number: number
  integer: number
  boolean: boolean
  null: null
  str: string
  int: number
  float: number
  bool: boolean
  dict: JsonObject
  None: null
}

/**
 * Properties that are named as required, or marked with `required: true`, are there; the others may
 * be.
 */
type Fields<Properties, Required> = Flat<
  {
    readonly [Name in keyof Properties as IsRequired<Name, Properties, Required> extends true
      ? Name
      : never]: SchemaValue<Properties[Name]>
  } & {
    readonly [Name in keyof Properties as IsRequired<Name, Properties, Required> extends true
      ? never
      : Name]?: SchemaValue<Properties[Name]>
  }
>

type IsRequired<Name extends keyof Properties, Properties, Required> = Name extends Required
  ? true
  : Properties[Name] extends { readonly required: true }
    ? true
    : false

/** One object type in place of an intersection, as people read it. */
type Flat<T> = { readonly [Name in keyof T]: T[Name] }
