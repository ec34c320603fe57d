import { expect, test } from 'vitest'
import type { StudioEvent } from '../src/protocol/protocol.js'
import { WaitClock } from '../src/server/wait-clock.js'

const approval = (at: number, callId: string): StudioEvent => ({
  seq: at,
  at,
  type: 'wait',
  callId,
  tool: 't',
  args: {},
})
const decision = (at: number, callId: string): StudioEvent => ({
  seq: at,
  at,
  type: 'decision',
  callId,
  approved: true,
})

test('waits that overlap count once, and a wait that was cut off ends with its studio', () => {
  const clock = new WaitClock([
    approval(10, 'a'),
    approval(15, 'b'),
    { seq: 20, at: 100, type: 'continued' },
  ])
  expect(clock.ms(200)).toBe(5)
  for (const event of [
    approval(200, 'a'),
    approval(210, 'b'),
    decision(230, 'a'),
    decision(250, 'b'),
  ])
    clock.add(event)
  expect(clock.ms(999)).toBe(55)
  clock.add(approval(1000, 'c'))
  expect(clock.ms(1010)).toBe(65)
})
