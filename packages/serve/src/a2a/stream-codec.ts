import { answerArtifactId, type TaskEvent } from '@modelport/agent'
import type { JsonObject } from '@modelport/core'
import { extensionUri } from '../wire/extension.js'
import { toA2aArtifact, toA2aMessage, toA2aState } from './task-codec.js'
import type { A2aStreamResponse } from './types.js'

/** Turns the events of one task into the events of one A2A stream. Each stream needs its own. */
export class A2aStreamEncoder {
  readonly #ids: { readonly taskId: string; readonly contextId: string }
  readonly #withExtension: boolean
  #shown: string | undefined

  /**
   * @param options `shown`: what the snapshot at the head of the stream holds of the answer;
   * `extension`: true sends progress of runs
   */
  constructor(
    ids: { readonly taskId: string; readonly contextId: string },
    options: { readonly shown?: string; readonly extension?: boolean } = {},
  ) {
    this.#ids = ids
    this.#withExtension = options.extension ?? false
    this.#shown = options.shown
  }

  /** The events of the wire for one event: usually one, sometimes none. */
  encode(event: TaskEvent): readonly A2aStreamResponse[] {
    switch (event.type) {
      case 'status':
        return [this.#status(event)]
      case 'message':
        return event.message.role === 'user' || this.#isAnswer(event)
          ? []
          : [
              this.#update(event, {
                message: toA2aMessage(event.message, this.#ids, this.#withExtension),
              }),
            ]
      case 'artifact':
        return [this.#artifact(event)]
      case 'text-delta':
        return [this.#delta(event)]
      case 'progress':
        return [
          this.#update(event, {}, { progress: { percent: event.percent, message: event.message } }),
        ]
      case 'run':
      case 'usage':
        return this.#withExtension ? [this.#update(event, {}, { [event.type]: event })] : []
      case 'checkpoint':
      case 'effect':
        return []
    }
  }

  /** The answer is an artifact already: saying it again would double it. */
  #isAnswer(event: TaskEvent & { readonly type: 'message' }): boolean {
    const [part] = event.message.parts
    return this.#shown !== undefined && part?.type === 'text' && part.content === this.#shown
  }

  #status(event: TaskEvent & { readonly type: 'status' }): A2aStreamResponse {
    const { state, message, at } = event
    return {
      statusUpdate: {
        ...this.#ids,
        status: {
          state: toA2aState(state),
          ...(message && { message: toA2aMessage(message, this.#ids, this.#withExtension) }),
          timestamp: at,
        },
        ...(event.metadata && { metadata: event.metadata }),
      },
    }
  }

  #update(
    event: TaskEvent,
    status: { readonly message?: ReturnType<typeof toA2aMessage> },
    own?: JsonObject,
  ): A2aStreamResponse {
    return {
      statusUpdate: {
        ...this.#ids,
        status: { state: 'TASK_STATE_WORKING', ...status, timestamp: event.at },
        ...(own && { metadata: { [extensionUri]: JSON.parse(JSON.stringify(own)) as JsonObject } }),
      },
    }
  }

  #artifact({
    artifact,
    append,
    last,
  }: TaskEvent & { readonly type: 'artifact' }): A2aStreamResponse {
    const [part] = artifact.parts
    const text = part?.type === 'text' ? part.content : undefined
    const isAnswer = artifact.id === answerArtifactId && !append
    const isKnown =
      isAnswer && artifact.parts.length === 1 && text !== undefined && text === this.#shown
    if (isAnswer) this.#shown = text
    const whole = toA2aArtifact(artifact, this.#withExtension)
    return {
      artifactUpdate: {
        ...this.#ids,
        // The text was streamed: the last piece is empty and says so.
        artifact: isKnown ? { ...whole, parts: [{ text: '' }] } : whole,
        append: isKnown || (append ?? false),
        lastChunk: last ?? false,
      },
    }
  }

  #delta(event: TaskEvent & { readonly type: 'text-delta' }): A2aStreamResponse {
    const append = this.#shown !== undefined && !event.first
    this.#shown = append ? (this.#shown ?? '') + event.text : event.text
    return {
      artifactUpdate: {
        ...this.#ids,
        artifact: { artifactId: answerArtifactId, parts: [{ text: event.text }] },
        append,
        lastChunk: false,
      },
    }
  }
}
