/** What makes a request the same as an earlier one. */
export interface IdempotencyKey {
  /** Who sent the message. */
  readonly principal: string
  /** Whom it was sent to. */
  readonly agent: string
  /** The sender's id of the message. */
  readonly messageId: string
}

/** Which task a message id belongs to, so that a message that arrives twice runs once. */
export interface IdempotencyStore {
  /**
   * Claims the key for a task.
   * @param digest tells bodies of requests apart
   * @returns the claim that counts: the earlier one if the key was claimed before
   */
  claim(
    key: IdempotencyKey,
    digest: string,
    taskId: string,
  ): Promise<{ readonly taskId: string; readonly digest: string; readonly isNew: boolean }>
  /** Gives a claim up, so that a request that failed before its task existed can be sent again. */
  release(key: IdempotencyKey): Promise<void>
}
