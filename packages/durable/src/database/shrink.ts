import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from './database.js'

/** Gives the space of removed rows back, a part of it at a time. */
export async function shrink(database: Database): Promise<void> {
  for (let isMore = true; isMore; ) {
    const beganAt = performance.now()
    isMore = (await database.shrink?.()) ?? false
    if (isMore) await sleep(performance.now() - beganAt)
  }
}
