import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { findBusyLoop } from './support/busy-loop.js'

const loops: Readonly<Record<string, (isOver: () => boolean) => void>> = {
  'timers of no time': (isOver) => {
    const again = (): void => {
      if (!isOver()) setTimeout(again, 0)
    }
    again()
  },
  'timers of two milliseconds': (isOver) => {
    const loop = async (): Promise<void> => {
      while (!isOver()) await new Promise((resolve) => setTimeout(resolve, 2))
    }
    void loop()
  },
  immediates: (isOver) => {
    const loop = async (): Promise<void> => {
      while (!isOver()) await nextTurn()
    }
    void loop()
  },
}

test.each(Object.entries(loops))(
  'what polls by %s is found, with the place where it does',
  async (_, start) => {
    const state = { isOver: false }
    onTestFinished(() => {
      state.isOver = true
    })
    start(() => state.isOver)
    expect(await findBusyLoop()).toContain('busy-loop.test.ts')
  },
)

test('a timer that starts once, or waits longer, is not taken for a loop', async () => {
  const timer = setInterval(() => undefined, 20)
  onTestFinished(() => clearInterval(timer))
  setTimeout(() => undefined, 0)
  expect(await findBusyLoop()).toBeUndefined()
})
