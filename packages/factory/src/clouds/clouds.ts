import type { Cloud } from './cloud.js'
import { type CloudFields, clouds } from './known-clouds.js'

export { type CloudFields, clouds }

/** Name of a cloud, and of its field. */
export type CloudName = keyof CloudFields

/** Their names. */
export const cloudNames: readonly CloudName[] = Object.keys(clouds) as CloudName[]

/** A cloud with its settings in a configuration. */
export interface ConfiguredCloud {
  readonly name: CloudName
  readonly cloud: Cloud
  readonly settings: object
}

/** The cloud of a row with its settings; undefined for a row that is not in a cloud. */
export function configuredCloud(
  name: CloudName | undefined,
  fields: CloudFields,
): ConfiguredCloud | undefined {
  return name === undefined
    ? undefined
    : { name, cloud: clouds[name], settings: fields[name] ?? {} }
}
