import type { ChatMessage } from '@modelport/core'
import { ConversationHistory } from '@modelport/runtime'

/**
 * `node src/history.ts`: what one operation on a history costs at 1,000 to 1,000,000 messages, next
 * to a plain list that does the same.
 */
const lengths = [1_000, 10_000, 100_000, 1_000_000] as const
const message: ChatMessage = { role: 'user', content: 'x' }
const system: ChatMessage = { role: 'system', content: 'S' }
const filled = (length: number): ChatMessage[] => [
  system,
  ...Array.from({ length: length - 1 }, () => ({ ...message })),
]
const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN

interface Row {
  readonly name: string
  /** One operation on a history that is as long afterwards as before. */
  history?(history: ConversationHistory, length: number): void
  list?(list: ChatMessage[], length: number): void
  /** Operations a sample. */
  readonly count: number
}

const rows: readonly Row[] = [
  {
    name: 'append and read the newest',
    count: 20_000,
    history: (history) => {
      history.add(message)
      if (history.at(-1) !== message) throw new Error('lost')
    },
  },
  {
    name: 'set the system prompt',
    count: 20_000,
    history: (history) => history.setSystem('S'),
  },
  {
    name: 'append, drop the oldest (sliding window)',
    count: 20_000,
    history: (history, length) => {
      history.add(message)
      history.truncate(length)
    },
  },
  {
    name: 'the same on a list, splice(1, 1)',
    count: 200,
    list: (list) => {
      list.push(message)
      list.splice(1, 1)
    },
  },
]

/** Nanoseconds an operation takes, median of samples on a history of its own each. */
function measure(row: Row, length: number, samples: number): number {
  const times: number[] = []
  for (let sample = -1; sample < samples; sample++) {
    const list = filled(length)
    const history = ConversationHistory.fromList(list)
    const started = performance.now()
    for (let each = 0; each < row.count; each++) {
      row.history?.(history, length)
      row.list?.(list, length)
    }
    if (sample >= 0) times.push(((performance.now() - started) * 1e6) / row.count)
  }
  return median(times)
}

for (const row of rows) measure(row, 1000, 5)
console.log(
  `| ns an operation | ${lengths.map((length) => length.toLocaleString('en')).join(' | ')} | last / first |`,
)
console.log(`|---|${lengths.map(() => '--:|').join('')}--:|`)
for (const row of rows) {
  const times = lengths.map((length) => measure(row, length, 7))
  const ratio = (times.at(-1) ?? NaN) / (times[0] ?? NaN)
  console.log(
    `| ${row.name} | ${times.map((time) => time.toFixed(0)).join(' | ')} | ${ratio.toFixed(2)} |`,
  )
}
