/* eslint-disable @typescript-eslint/require-await -- the interface is asynchronous; memory never waits */
import type { AgentStore } from './agent-store.js'
import type { IdempotencyClaim, IdempotencyKey, IdempotencyStore } from './idempotency.js'
import type { Inbox, InboxItem, InboxItemBody } from './inbox.js'
import { MemoryChildCancels } from './memory-child-cancels.js'
import { MemoryOutbox, MemoryPushConfigs } from './memory-outbox.js'
import { MemorySessions } from './memory-sessions.js'
import { MemoryTasks } from './memory-tasks.js'
import { nameOfTask, type TaskKey } from './task-store.js'

class MemoryInbox implements Inbox {
  readonly #items = new Map<string, { readonly all: InboxItem[]; taken: number }>()

  async put(key: TaskKey, item: InboxItemBody, at: string): Promise<boolean> {
    const name = nameOfTask(key)
    const box = this.#items.get(name) ?? { all: [], taken: 0 }
    const isDuplicate =
      item.type === 'approval' &&
      box.all.some((other) => other.type === 'approval' && other.requestId === item.requestId)
    if (isDuplicate) return false
    box.all.push({ ...item, seq: box.all.length + 1, at })
    this.#items.set(name, box)
    return true
  }

  async pending(key: TaskKey): Promise<readonly InboxItem[]> {
    const box = this.#items.get(nameOfTask(key))
    return box ? box.all.slice(box.taken) : []
  }

  async take(key: TaskKey, upTo: number): Promise<void> {
    const box = this.#items.get(nameOfTask(key))
    if (box) box.taken = Math.max(box.taken, upTo)
  }
}

class MemoryIdempotency implements IdempotencyStore {
  readonly #claims = new Map<string, { readonly taskId: string; readonly digest: string }>()

  async claim(key: IdempotencyKey, digest: string, taskId: string): Promise<IdempotencyClaim> {
    const name = claimOf(key)
    const earlier = this.#claims.get(name)
    if (earlier) return { ...earlier, isNew: false }
    this.#claims.set(name, { taskId, digest })
    return { taskId, digest, isNew: true }
  }

  async release(key: IdempotencyKey): Promise<void> {
    this.#claims.delete(claimOf(key))
  }
}

const claimOf = ({ principal, agent, messageId }: IdempotencyKey): string =>
  `${messageId.length}:${messageId}${agent.length}:${agent}${principal}`

/** A store in the memory of one process: everything is gone when the process ends. */
export function createMemoryStore(): AgentStore {
  const outbox = new MemoryOutbox()
  return {
    tasks: new MemoryTasks(),
    sessions: new MemorySessions(),
    inbox: new MemoryInbox(),
    outbox,
    cancels: new MemoryChildCancels(),
    pushConfigs: new MemoryPushConfigs(outbox),
    idempotency: new MemoryIdempotency(),
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}
