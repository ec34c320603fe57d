/** What makes a request the same as an earlier one. */
export interface IdempotencyKey {
  /** Who sent the message. */
  readonly principal: string
  /** Whom it was sent to. */
  readonly agent: string
  /** The sender's id of the message. */
  readonly messageId: string
}

/** What {@link IdempotencyStore.claim} found. */
export interface IdempotencyClaim {
  /** The task that the message id belongs to: that of the first claim. */
  readonly taskId: string
  /** Digest of the body that came first. */
  readonly digest: string
  /** True if this claim is the first. */
  readonly isNew: boolean
}

/** Which task a message id belongs to, so that a message that arrives twice runs once. */
export interface IdempotencyStore {
  /**
   * Claims the key for a task.
   * @param digest distinguishes the bodies of requests
   * @returns the claim that counts: the earlier one if the key was claimed before
   */
  claim(key: IdempotencyKey, digest: string, taskId: string): Promise<IdempotencyClaim>
  /** Gives a claim up, so that a request that failed before its task existed can be sent again. */
  release(key: IdempotencyKey): Promise<void>
}
