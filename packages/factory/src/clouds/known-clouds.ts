// Written from the files of clouds: pnpm vendors
import { type AzureSettings, azure } from './azure.js'
import { type BedrockSettings, bedrock } from './bedrock.js'
import type { Cloud } from './cloud.js'
import { type VertexSettings, vertex } from './vertex.js'

/** The settings of each cloud, as the field of a configuration that has the cloud's name. */
export interface CloudFields {
  /** An Azure resource. */
  readonly azure?: AzureSettings | undefined
  /** Region and credentials of Amazon Bedrock. */
  readonly bedrock?: BedrockSettings | undefined
  /** Location and credentials of Vertex AI. */
  readonly vertex?: VertexSettings | undefined
}

/** Every cloud that is known here. */
export const clouds: Readonly<Record<keyof CloudFields, Cloud>> = {
  azure,
  bedrock,
  vertex,
}
