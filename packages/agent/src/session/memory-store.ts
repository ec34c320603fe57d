/* oxlint-disable typescript/require-await -- the interface is asynchronous; memory never waits */
import { createMemoryBudgets } from '@modelport/runtime'
import type { AgentStore } from './agent-store.js'
import type { Inbox, InboxItem, InboxItemBody } from './inbox.js'
import { MemoryChildCancels } from './memory-child-cancels.js'
import { MemorySessions } from './memory-sessions.js'
import { MemoryTasks } from './memory-tasks.js'
import { nameOfTask, type TaskKey } from './task-store.js'

class MemoryInbox implements Inbox {
  readonly #items = new Map<string, { readonly all: InboxItem[]; taken: number }>()

  async put(key: TaskKey, item: InboxItemBody, at: string): Promise<void> {
    const name = nameOfTask(key)
    const box = this.#items.get(name) ?? { all: [], taken: 0 }
    box.all.push({ ...item, seq: box.all.length + 1, at })
    this.#items.set(name, box)
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

/** A store in the memory of one process: everything is gone when the process ends. */
export function createMemoryStore(): AgentStore {
  const sessions = new MemorySessions()
  return {
    tasks: new MemoryTasks(sessions),
    sessions,
    inbox: new MemoryInbox(),
    cancels: new MemoryChildCancels(),
    budgets: createMemoryBudgets(),
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}
