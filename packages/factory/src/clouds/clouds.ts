import { type AzureSettings, azure } from './azure.js'
import { type BedrockSettings, bedrock } from './bedrock.js'
import type { Cloud } from './cloud.js'
import { type VertexSettings, vertex } from './vertex.js'

/** The settings of each cloud, as the field of a configuration that has the cloud's name. */
export interface CloudFields {
  /** Of `azure-openai`, and the token of `anthropic-foundry`. */
  readonly azure?: AzureSettings | undefined
  /** Of `vertex` and `anthropic-vertex`. */
  readonly vertex?: VertexSettings | undefined
  /** Of `bedrock`, and the region and token of `anthropic-bedrock`. */
  readonly bedrock?: BedrockSettings | undefined
}

/** Name of a cloud, and of its field. */
export type CloudName = keyof CloudFields

/** Every cloud that is known here. */
export const clouds: Readonly<Record<CloudName, Cloud>> = { azure, vertex, bedrock }

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
