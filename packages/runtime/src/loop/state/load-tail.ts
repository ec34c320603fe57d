import type { RunCheckpoint } from '../../journal/checkpoint.js'
import type { JournalTail } from '../../journal/journal.js'
import { spentBy } from './resume.js'
import type { Uses } from './run-state.js'

/** Takes what a journal recorded after the checkpoint. */
export function loadTail(
  { storage, meter, events }: Uses<'storage' | 'meter' | 'events'>,
  resume: RunCheckpoint,
  { entries, seq = 0 }: JournalTail,
): void {
  storage.log.loadTail(entries)
  meter.restore(spentBy(resume, [...resume.entries, ...entries]))
  events.resumeAt(events.seq, Math.max(resume.seq, seq, ...entries.map((entry) => entry.seq)))
}
