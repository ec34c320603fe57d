import type { JsonObject } from '@modelport/core'
import { createId, type Entropy, systemEntropy, timestampOf } from '../base/ids.js'
import { createPart, type Part } from './part.js'

/** Output of a task: a result, a resource, a preview or a diagnostic. */
export interface Artifact {
  /** Unique within its task. */
  readonly id: string
  /** The content. */
  readonly parts: readonly Part[]
  /** Whatever its maker adds; extensions use their URI as the key. */
  readonly metadata: JsonObject
  /** ISO 8601, UTC. */
  readonly timestamp: string
  /** Its kind: `result` by default; `answer` is the text that completed the task. */
  readonly kind: string
  /** For people. */
  readonly name?: string
  /** For people. */
  readonly description?: string
  /** The resource that it represents. */
  readonly uri?: string
  /** MIME type of the content as a whole. */
  readonly mediaType?: string
  /** The action of the run that made it. */
  readonly actionId?: string
  /** URIs of the extensions that contributed to it. */
  readonly extensions?: readonly string[]
}

/** Makes an artifact; missing fields get their defaults. */
export const createArtifact = (
  content: string | readonly Part[],
  fields: Partial<Omit<Artifact, 'parts'>> = {},
  entropy: Entropy = systemEntropy,
): Artifact => ({
  id: fields.id ?? createId('art', entropy),
  metadata: {},
  timestamp: timestampOf(entropy),
  kind: 'result',
  ...fields,
  parts: typeof content === 'string' ? [createPart.text(content)] : content,
})

/** The artifact, associated with an action of a run. */
export const forAction = (artifact: Artifact, actionId: string): Artifact => ({
  ...artifact,
  actionId,
})

/** Id and kind of the artifact that holds the answer of a task. */
export const answerArtifactId = 'answer'
