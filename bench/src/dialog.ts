import type { Provider } from '@modelport/core'
import { createDialogCaller, Dialog, json, tags, text } from '@modelport/dialog'
import { createMock } from '@modelport/provider-mock'
import { infer } from '@modelport/runtime'

/**
 * `node src/dialog.ts [rounds]`: what an agent call costs next to `infer` with the same messages,
 * what a fork costs, and how parsing a reply grows with its length. Rounds are interleaved, and
 * each ratio is taken within its round.
 */
const rounds = Number(process.argv[2] ?? 60)
const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN

/** Microseconds of CPU for one of `count` operations. */
async function cpuOf(count: number, work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  for (let index = 0; index < count; index++) await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

const reply = 'All of this is one reply of an ordinary length. '.repeat(40)
const dialog = Dialog.seed('Be brief.').send('Say it.')
const messages = dialog.messages.slice(1)

/**
 * A scripted model for one sample: it keeps every request, and what it keeps would slow down later
 * samples.
 */
const model = (): Provider => createMock({ responses: [reply], chunkSize: 40 })

function call(count: number): Promise<number> {
  const caller = createDialogCaller({ name: 'bench', provider: model() })
  return cpuOf(count, () => caller.call(dialog))
}

function plain(count: number): Promise<number> {
  const provider = model()
  return cpuOf(count, () => infer(provider, { system: 'Be brief.', messages, mode: 'native' }))
}

for (let warmUp = 0; warmUp < 20; warmUp++) {
  await call(50)
  await plain(50)
}
const costs: { readonly call: number; readonly infer: number }[] = []
for (let round = 0; round < rounds; round++) {
  const first = round % 2 === 0
  const a = await (first ? call : plain)(100)
  const b = await (first ? plain : call)(100)
  costs.push(first ? { call: a, infer: b } : { call: b, infer: a })
}
console.log('| what | value |\n|---|---|')
console.log(`| infer, CPU | ${median(costs.map((one) => one.infer)).toFixed(0)} µs |`)
console.log(`| call, CPU | ${median(costs.map((one) => one.call)).toFixed(0)} µs |`)
console.log(
  `| call ÷ infer, median of ${rounds} rounds | ${median(costs.map((one) => one.call / one.infer)).toFixed(3)} |`,
)

const long = Dialog.seed().append(
  ...Array.from({ length: 10_000 }, () => ({ role: 'user', content: 'x' }) as const),
)
const forks: number[] = []
for (let sample = 0; sample < 50; sample++) forks.push(await cpuOf(2000, () => long.fork()))
console.log(`| fork of 10,000 messages | ${median(forks).toFixed(3)} µs |`)

const parser = tags({
  xml: { answer: json({ type: 'object' }) },
  markdown: { code: text() },
  optional: { notes: text() },
})
for (const size of [125_000, 250_000, 500_000, 1_000_000, 2_000_000]) {
  const filler = '<b>text</b> `code` { } \n'.repeat(Math.ceil(size / 24))
  const whole = `${filler}<answer>{"a": "${'x'.repeat(1000)}"}</answer>\n\`\`\`code\n${filler}\n\`\`\`\n`
  await parser.read(whole)
  const times: number[] = []
  for (let index = 0; index < 7; index++) times.push(await cpuOf(1, () => parser.read(whole)))
  console.log(
    `| tags over ${(whole.length / 1e6).toFixed(2)} MB | ${(median(times) / 1000).toFixed(1)} ms |`,
  )
}
