import {
  createMemoryJournal,
  type PendingItem,
  type RunCheckpoint,
  type RunJournal,
} from '@modelport/runtime'
import { describe, expect, test } from 'vitest'
import { choice, Dialog, definePrompt } from '../src/index.js'
import { asks, callerOf, failureOf, recordingTool } from './call-tools.js'

const overloaded = { error: 'overloaded' } as const
const decide = definePrompt({ path: 'decide', text: 'Is {what}?', parse: choice(['yes', 'no']) })

/** Where a call stands in a journal, as another process would find it. */
const storedOf = (journal: ReturnType<typeof createMemoryJournal>, runId: string) => {
  const stored = journal.load(runId)
  if (!stored) throw new Error(`the journal does not know the run ${runId}`)
  return stored
}

/** A journal in memory that also remembers the id of the run. */
function watchedJournal() {
  const inner = createMemoryJournal()
  const seen: RunCheckpoint[] = []
  const journal: RunJournal = {
    ...inner,
    writeCheckpoint: (checkpoint, change) => {
      seen.push(checkpoint)
      return inner.writeCheckpoint(checkpoint, change)
    },
  }
  return { journal, seen, stored: () => storedOf(inner, seen[0]?.runId ?? '') }
}

describe('a call that ends during the wait for a recall', () => {
  test('a call that ends during the wait for a recall keeps everything that was said before the fault', async () => {
    const { tool, calls } = recordingTool('look', () => 'seen')
    const controller = new AbortController()
    const { caller } = callerOf([asks('look'), overloaded], {
      limits: { maxRecalls: 1 },
      recallDelayMs: () => 3_600_000,
      reports: () => controller.abort(new Error('enough')),
    })
    const dialog = Dialog.seed().send(decide.extend({ path: 'p', tools: [tool] }), { what: 'it' })
    const error = await failureOf(caller.call(dialog, { signal: controller.signal }))
    expect([error.code, error.state, calls.length]).toEqual(['aborted', 'recall', 1])
    expect(error.dialog.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    expect(error.dialog.topPrompt?.path).toBe('p')
  })

  test('a call that ends during the wait for a recall continues in another process, which waits for the rest and has no more recalls than were left', async () => {
    const { tool, calls } = recordingTool('look', () => 'seen')
    const prompt = decide.extend({ path: 'p', tools: [tool] })
    const dialog = Dialog.seed('Be brief.').send(prompt, { what: 'it' })
    const { journal, stored } = watchedJournal()
    const controller = new AbortController()
    const first = callerOf([asks('look'), overloaded], {
      limits: { maxRecalls: 2 },
      recallDelayMs: () => 300,
      reports: () => controller.abort(new Error('the process ends')),
    })
    // The journal is written before the wait begins.
    await failureOf(first.caller.call(dialog, { journal, signal: controller.signal }))
    const { resume, messages } = stored()
    expect(resume.caller).toEqual({ dialog: { count: 1, at: expect.any(Number) } })
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])

    const second = callerOf([overloaded, overloaded], { limits: { maxRecalls: 2 } })
    const error = await failureOf(second.caller.call(dialog, { journal, resume, messages }))
    expect(error.code).toBe('overloaded')
    // One recall was left: two requests, and not three.
    expect([second.provider.requests.length, calls.length]).toEqual([2, 1])

    const third = callerOf(['yes'], { limits: { maxRecalls: 3 } })
    const { value, dialog: after } = await third.caller.call(dialog, { journal, ...stored() })
    expect([value, calls.length]).toEqual(['yes', 1])
    expect(after.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
    ])
    expect(after.messages[1]).toBe(dialog.messages[1])
  })

  test('a call that ends during the wait for a recall goes through the states initial and recall when the wait is not over yet', async () => {
    const { journal, stored } = watchedJournal()
    const controller = new AbortController()
    const dialog = Dialog.seed().send('Hi')
    const first = callerOf([overloaded], {
      limits: { maxRecalls: 1 },
      recallDelayMs: () => 400,
      reports: () => controller.abort(new Error('the process ends')),
    })
    await failureOf(first.caller.call(dialog, { journal, signal: controller.signal }))
    const { resume, messages } = stored()
    const due = { ...resume, caller: { dialog: { count: 1, at: Date.now() + 50 } } }
    const second = callerOf(['Hello.'], { limits: { maxRecalls: 1 } })
    const { trace } = await second.caller.call(dialog, { resume: due, messages })
    expect(trace.entries.flatMap((entry) => (entry.type === 'state' ? [entry.to] : []))).toEqual([
      'recall',
      'calling',
      'success',
    ])
  })
})

describe('a call whose last reply was recorded before its process was cut off', () => {
  test.each([
    ['is accepted without another request', 'yes', 0, 'yes'],
    ['makes another request if the parser refuses the recorded reply', 'perhaps', 1, 'no'],
  ])(
    'a call whose last reply was recorded before its process was cut off %s',
    async (_name, recorded, requests, value) => {
      const { journal, stored } = watchedJournal()
      const dialog = Dialog.seed().send(decide, { what: 'it' })
      const controller = new AbortController()
      const first = callerOf([recorded, 'yes'])
      await first.caller
        .call(dialog, {
          signal: controller.signal,
          journal: {
            ...journal,
            // The process ends right after the first reply is stored.
            writeReceipt: (receipt) => {
              void journal.writeReceipt(receipt)
              controller.abort(new Error('the process ends'))
            },
          },
        })
        .catch(() => undefined)
      const second = callerOf(['no'])
      const result = await second.caller.call(dialog, { journal, ...stored() })
      expect(result.value).toBe(value)
      expect(second.provider.requests).toHaveLength(requests)
    },
  )
})

describe('a suspended call', () => {
  test('a suspended call keeps the number of its recalls in its checkpoint', async () => {
    const { tool } = recordingTool('send', () => 'sent')
    const prompt = decide.extend({ path: 'p', tools: [tool] })
    const settings = {
      authorize: () => ({ effect: 'require-approval' }) as const,
      limits: { maxRecalls: 1 },
    }
    const { caller } = callerOf([overloaded, asks('send')], settings)
    const { suspension, dialog } = await failureOf(
      caller.call(Dialog.seed().send(prompt, { what: 'it' })),
    )
    expect(suspension?.checkpoint.caller).toMatchObject({ dialog: { count: 1 } })
    const resumed = callerOf([overloaded, 'yes'], settings)
    const item = suspension?.pending[0] as Extract<PendingItem, { type: 'approval' }>
    const error = await failureOf(
      resumed.caller.call(dialog.expect(prompt), {
        resume: suspension?.checkpoint as RunCheckpoint,
        decisions: [{ type: 'approve', id: item.id, digest: item.digest }],
      }),
    )
    expect(error.code).toBe('overloaded')
    expect(resumed.provider.requests).toHaveLength(1)
  })
})

test('messages without a checkpoint are refused', async () => {
  const { caller } = callerOf(['x'])
  const error = await failureOf(caller.call(Dialog.seed().send('Hi'), { messages: [] }))
  expect(error).toMatchObject({
    code: 'invalid-request',
    message: expect.stringContaining('give the checkpoint as resume'),
  })
})
