import type { JsonObject } from './tool.js'

/** True for an object that is not an array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value if it is a string, else an empty one. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

/**
 * True for a field that could replace a prototype where values are merged: `__proto__`, or
 * `constructor` with a `prototype`.
 */
export const isPollution = (key: string, value: unknown): boolean =>
  key === '__proto__' ||
  (key === 'constructor' && isObject(value) && Object.hasOwn(value, 'prototype'))

/** True for a value of `JSON.parse` with such a field ({@link isPollution}) at any depth. */
export const pollutes = (value: unknown): boolean =>
  (isObject(value) || Array.isArray(value)) &&
  Object.entries(value).some(
    ([key, inner]: [string, unknown]) => isPollution(key, inner) || pollutes(inner),
  )
